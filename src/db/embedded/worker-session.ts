import { Worker } from 'node:worker_threads';
import type { Answer, Statement } from '../dialect.ts';
import { type Session, SessionError, type SessionErrorFields } from './session.ts';

export type WorkerRequest =
  | { id: number; kind: 'run'; statements: Statement[] }
  | { id: number; kind: 'script'; text: string }
  | { id: number; kind: 'close' };

/** Request 0 is the start itself: answered once, when the engine is open or could not be opened. */
export type WorkerResponse = { id: number; ok: true; answers: Answer[] } | { id: number; ok: false; error: SessionErrorFields };

interface Pending {
  resolve: (answers: Answer[]) => void;
  reject: (error: unknown) => void;
}

const START_REQUEST = 0;

/** Opens the embedded engine in a worker thread and speaks to it over its message port. */
export async function openInWorker(directory: string): Promise<Session> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { directory } });
  const pending = new Map<number, Pending>();
  let lastId = START_REQUEST;
  let ended: Error | null = null;

  const expect = (id: number) => new Promise<Answer[]>((resolve, reject) => pending.set(id, { resolve, reject }));
  const end = (reason: Error) => {
    ended = reason;
    for (const waiting of pending.values()) waiting.reject(reason);
    pending.clear();
  };

  worker.on('message', (response: WorkerResponse) => {
    const waiting = pending.get(response.id);
    pending.delete(response.id);
    if (response.ok) waiting?.resolve(response.answers);
    else waiting?.reject(new SessionError(response.error));
  });
  worker.on('error', end);
  worker.on('exit', () => end(new Error('The embedded database has been closed.')));

  const send = (request: WorkerRequest): Promise<Answer[]> => {
    if (ended) return Promise.reject(ended);
    const answers = expect(request.id);
    worker.postMessage(request);
    return answers;
  };

  await expect(START_REQUEST);
  return {
    run: (statements) => send({ id: ++lastId, kind: 'run', statements }),
    async script(text) {
      return (await send({ id: ++lastId, kind: 'script', text })).flatMap(({ rows }) => rows);
    },
    async close() {
      if (ended) return;
      const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      await send({ id: ++lastId, kind: 'close' });
      await exited;
    },
  };
}
