import { systemClock } from '../../src/lib/clock.ts';
import type { Mode } from '../../src/lib/mode.ts';
import { ADMIN_TOKEN, signedOrder } from './service.ts';

const MAX_RESENDS = 100;

/** A reseller of a server in another process. */
export interface RemoteReseller {
  token: string;
  secret: string;
}

export interface PlacedOrder {
  refId: string;
  reseller: RemoteReseller;
  userId: string;
  orderId: string;
}

export async function remoteAdmin(url: string, method: string, path: string, body?: unknown) {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  return (await answer.json()) as any;
}

export async function remoteReseller(
  url: string,
  username: string,
  balance: number,
  mode: Mode = 'test',
): Promise<RemoteReseller> {
  const created = await remoteAdmin(url, 'POST', '/admin/api/reseller', { name: username, username });
  const path = `/admin/api/reseller/${created.data.reseller_id}`;
  await remoteAdmin(url, 'POST', `${path}/deposit`, { amount: balance, mode, reference: 'opening' });
  const { data } = await remoteAdmin(url, 'POST', `${path}/credential`, { mode });
  return { token: data.access_token, secret: data.signing_secret };
}

/**
 * Places orders on many connections until it is told to stop. Keeps what was acknowledged and what was not: the order of a
 * broken connection may or may not exist, and its client has to ask or send again.
 */
export class Load {
  readonly acknowledged: PlacedOrder[] = [];
  readonly unanswered: Omit<PlacedOrder, 'orderId'>[] = [];
  readonly refused: string[] = [];
  #stopping = false;
  #running: Promise<unknown> | null = null;
  #count = 0;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  /**
   * Each connection pauses between its orders, for suppliers that could not keep up otherwise. It keeps to one of the addresses, and goes on to the next when it does not answer, as behind a load balancer.
   */
  start(urls: string | string[], resellers: RemoteReseller[], scenes: string[], connections: number, pauseMs = 0): void {
    this.#stopping = false;
    this.#running = Promise.all(
      Array.from({ length: connections }, (_, index) => this.#work([urls].flat(), index, { resellers, scenes, pauseMs })),
    );
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  /** Resolves when so many orders have been acknowledged in all. */
  async untilAcknowledged(count: number): Promise<void> {
    while (this.acknowledged.length < count) await systemClock.sleep(5);
  }

  /** Does what a client must do after a broken connection: sends the same requests again, until each has its answer. */
  async resendUnanswered(url: string): Promise<void> {
    for (let tries = 0; this.unanswered.length > 0 && tries < MAX_RESENDS; tries++) {
      const orders = this.unanswered.splice(0);
      await Promise.all(orders.map((order) => this.#send(url, order)));
    }
  }

  async #work(
    urls: string[],
    index: number,
    { resellers, scenes, pauseMs }: { resellers: RemoteReseller[]; scenes: string[]; pauseMs: number },
  ): Promise<void> {
    let place = index;
    while (!this.#stopping) {
      const number = ++this.#count;
      const reseller = resellers[number % resellers.length] as RemoteReseller;
      const order = { refId: `${this.#name}-${number}`, reseller, userId: `12345${scenes[number % scenes.length]}` };
      if (!(await this.#send(urls[place % urls.length] ?? '', order))) place += 1;
      if (pauseMs > 0) await systemClock.sleep(pauseMs);
    }
  }

  /** False when nobody answered. */
  async #send(url: string, order: Omit<PlacedOrder, 'orderId'>): Promise<boolean> {
    try {
      const answer = await fetch(`${url}/api/order`, {
        method: 'POST',
        headers: { authorization: `Bearer ${order.reseller.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(signedOrder(order.reseller.secret, { ref_id: order.refId, user_id: order.userId })),
      });
      const body = (await answer.json()) as { data: { order_id: string } | null; error?: { code: string } };
      if (answer.status === 200 && body.data) this.acknowledged.push({ ...order, orderId: body.data.order_id });
      else if (answer.status >= 500) this.unanswered.push(order);
      else this.refused.push(body.error?.code ?? String(answer.status));
      return true;
    } catch {
      this.unanswered.push(order);
      // A refused connection answers at once; without a pause the loop would spin until the server is back.
      await systemClock.sleep(20);
      return false;
    }
  }
}
