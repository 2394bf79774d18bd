import { once } from 'node:events';
import net from 'node:net';

/** A way to a server that can fall silent: what is open hangs without a word, as after a fail-over; what is opened then works. */
export interface SilentProxy {
  /** The same address, through the proxy. */
  url: string;
  fallSilent(): void;
  close(): Promise<void>;
}

export async function openSilentProxy(url: string): Promise<SilentProxy> {
  const target = new URL(url);
  const ways = new Set<{ near: net.Socket; far: net.Socket; isSilent: boolean }>();
  const server = net.createServer((near) => {
    const far = net.connect(Number(target.port), target.hostname);
    const way = { near, far, isSilent: false };
    ways.add(way);
    near.on('data', (bytes) => way.isSilent || far.write(bytes));
    far.on('data', (bytes) => way.isSilent || near.write(bytes));
    near.on('close', () => far.destroy());
    far.on('close', () => way.isSilent || near.destroy());
    for (const socket of [near, far]) socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as net.AddressInfo).port);
  return {
    url: through.href,
    fallSilent() {
      for (const way of ways) way.isSilent = true;
    },
    async close() {
      for (const { near, far } of ways) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
