import { fork } from 'node:child_process';
import path from 'node:path';

/** Another process of the benchmark, which does what it is asked, one thing after the other. */
export interface Child {
  ask<Answer>(command: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

const ANSWER_LIMIT_MS = 180_000;

/** Starts a file of this folder that calls `obey`. */
export function startChild(file: string): Child {
  const child = fork(path.join(import.meta.dirname, file), { execArgv: [] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    async ask<Answer>(command: unknown) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const limit = setTimeout(() => reject(new Error(`${file} did not answer within ${ANSWER_LIMIT_MS} ms.`)), ANSWER_LIMIT_MS);
      const fail = (code: number | null) => reject(new Error(`${file} ended with code ${code} and no answer.`));
      child.once('exit', fail);
      child.once('message', ({ answer }: { answer: Answer }) => resolve(answer));
      child.send(command as object);
      try {
        return await promise;
      } finally {
        clearTimeout(limit);
        child.off('exit', fail);
      }
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** For the other process: answers each command with what `work` answers, and ends with its parent. */
export function obey<Command>(work: (command: Command) => Promise<unknown>): void {
  process.on('message', async (command: Command) => {
    const answer = await work(command);
    process.send?.({ answer: answer ?? null });
  });
  process.once('disconnect', () => process.exit());
}

/** The time in milliseconds, with its fractions and the same in all processes of the machine. */
export function wallTimeMs(): number {
  return performance.timeOrigin + performance.now();
}
