import { type AddressInfo, createServer, type Socket } from 'node:net';
import { obey, wallTimeMs } from '../system/child.ts';

/** The receiver of webhooks: a process of its own, with a port for each endpoint, as endpoints are on machines of their own. */
export type ReceiverCommand =
  | { kind: 'open'; endpoints: number }
  /** Forgets what was received. The endpoints with these numbers take everything and answer nothing. */
  | { kind: 'begin'; hanging: number[] }
  /** Answers when so many different webhooks have been received by endpoints that answer, with the time of the last. */
  | { kind: 'await'; distinct: number }
  /** Closes the connections that hang, as all that come to those endpoints from now on, and answers what was received. */
  | { kind: 'end' };

/** A call as it came, to be verified afterwards. */
export interface Sample {
  endpoint: number;
  headers: Record<string, string>;
  body: string;
}

export interface Received {
  /** Calls to endpoints that answer. */
  calls: number;
  /** Different webhooks among them. */
  distinct: number;
  /** Calls to endpoints that hang. */
  hung: number;
  /** Bytes of the bodies of `calls`. */
  bytes: number;
  /** One of every `SAMPLE_EVERY` calls. */
  samples: Sample[];
  /** How much of one core this process used from the beginning of the round to its last webhook. */
  cpu: number;
}

interface Round {
  hanging: Set<number>;
  held: Set<Socket>;
  seen: Set<string>;
  received: Omit<Received, 'distinct' | 'cpu'>;
  beganAt: number;
  cpuAtBegin: NodeJS.CpuUsage;
  /** The receipt of the latest webhook that was not a repetition. */
  lastAt: number;
  cpu: number;
  awaited: { distinct: number; resolve: (at: number) => void } | null;
  ended: boolean;
}

const SAMPLE_EVERY = 50;
const HEADER_END = Buffer.from('\r\n\r\n');
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

let round = begin([]);

obey<ReceiverCommand>(async (command) => {
  switch (command.kind) {
    case 'open':
      return Promise.all(Array.from({ length: command.endpoints }, (_, endpoint) => listen(endpoint)));
    case 'begin':
      round = begin(command.hanging);
      return null;
    case 'await':
      return new Promise<number>((resolve) => {
        round.awaited = { distinct: command.distinct, resolve };
        tellAwaited();
      });
    case 'end': {
      const { held, seen, received, cpu } = round;
      round.ended = true;
      for (const socket of held) socket.destroy();
      return { ...received, distinct: seen.size, cpu } satisfies Received;
    }
  }
});

function begin(hanging: number[]): Round {
  const now = wallTimeMs();
  return {
    hanging: new Set(hanging),
    held: new Set(),
    seen: new Set(),
    received: { calls: 0, hung: 0, bytes: 0, samples: [] },
    beganAt: now,
    cpuAtBegin: process.cpuUsage(),
    lastAt: now,
    cpu: 0,
    awaited: null,
    ended: false,
  };
}

function tellAwaited(): void {
  if (round.awaited === null || round.seen.size < round.awaited.distinct) return;
  const { user, system } = process.cpuUsage(round.cpuAtBegin);
  round.cpu = (user + system) / 1_000 / Math.max(1, round.lastAt - round.beganAt);
  round.awaited.resolve(round.lastAt);
  round.awaited = null;
}

function listen(endpoint: number): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    let pending: Buffer = Buffer.alloc(0);
    // A sender that hangs up is not this process's concern.
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      for (let call = readCall(pending); call !== null; call = readCall(pending)) {
        pending = pending.subarray(call.length);
        take(endpoint, socket, call.head, call.body);
      }
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

/** The first call of these bytes, or null while it is not complete. As cheap as it gets: it shares the cores with the sender. */
function readCall(bytes: Buffer): { head: string; body: Buffer; length: number } | null {
  const headEnd = bytes.indexOf(HEADER_END);
  if (headEnd < 0) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const bodyStart = headEnd + HEADER_END.length;
  const length = bodyStart + Number(readHeader(head, 'content-length'));
  return bytes.length < length ? null : { head, body: bytes.subarray(bodyStart, length), length };
}

function readHeader(head: string, name: string): string {
  const value = new RegExp(`\\r\\n${name}: ([^\\r]+)`, 'i').exec(head)?.[1];
  if (value === undefined) throw new Error(`A call without ${name}:\n${head}`);
  return value;
}

function take(endpoint: number, socket: Socket, head: string, body: Buffer): void {
  const { hanging, held, seen, received, ended } = round;
  if (hanging.has(endpoint)) {
    received.hung += 1;
    if (ended) socket.destroy();
    else held.add(socket);
    return;
  }
  const id = readHeader(head, 'webhook-id');
  received.calls += 1;
  received.bytes += body.length;
  if (received.calls % SAMPLE_EVERY === 1) {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const headers = Object.fromEntries(names.map((name) => [name, readHeader(head, name)]));
    received.samples.push({ endpoint, headers, body: body.toString('utf8') });
  }
  socket.write(OK);
  const key = `${endpoint} ${id}`;
  if (seen.has(key)) return;
  seen.add(key);
  round.lastAt = wallTimeMs();
  tellAwaited();
}
