import { Worker } from 'node:worker_threads';
import { type QueryAnswer, type Session, SessionError, type SessionErrorFields } from './session.ts';

export type WorkerRequest =
  | { id: number; kind: 'query'; text: string; parameters: readonly unknown[] }
  | { id: number; kind: 'script'; text: string }
  | { id: number; kind: 'close' };

/** Request 0 is the start itself: answered once, when the engine is open or could not be opened. */
export type WorkerResponse = { id: number; ok: true; answer: QueryAnswer } | { id: number; ok: false; error: SessionErrorFields };

interface Pending {
  resolve: (answer: QueryAnswer) => void;
  reject: (error: unknown) => void;
}

const START_REQUEST = 0;

/** Opens the embedded engine in a worker thread and speaks to it over its message port. */
export async function openInWorker(directory: string): Promise<Session> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { directory } });
  const pending = new Map<number, Pending>();
  let lastId = START_REQUEST;
  let ended: Error | null = null;

  const expect = (id: number) => new Promise<QueryAnswer>((resolve, reject) => pending.set(id, { resolve, reject }));
  const end = (reason: Error) => {
    ended = reason;
    for (const waiting of pending.values()) waiting.reject(reason);
    pending.clear();
  };

  worker.on('message', (response: WorkerResponse) => {
    const waiting = pending.get(response.id);
    pending.delete(response.id);
    if (response.ok) waiting?.resolve(response.answer);
    else waiting?.reject(new SessionError(response.error));
  });
  worker.on('error', end);
  worker.on('exit', () => end(new Error('The embedded database has been closed.')));

  const send = (request: WorkerRequest): Promise<QueryAnswer> => {
    if (ended) return Promise.reject(ended);
    const answer = expect(request.id);
    worker.postMessage(request);
    return answer;
  };

  await expect(START_REQUEST);
  return {
    query: (text, parameters) => send({ id: ++lastId, kind: 'query', text, parameters }),
    async script(text) {
      await send({ id: ++lastId, kind: 'script', text });
    },
    async close() {
      if (ended) return;
      const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      await send({ id: ++lastId, kind: 'close' });
      await exited;
    },
  };
}
