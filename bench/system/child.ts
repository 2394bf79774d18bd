import { fork } from 'node:child_process';
import path from 'node:path';
import { atEnd } from './cleanup.ts';

/** Another process of the benchmark, which does what it is asked, one thing after the other. */
export interface Child {
  pid: number;
  ask<Answer>(command: unknown, limitMs?: number): Promise<Answer>;
  stop(): Promise<void>;
}

const ANSWER_LIMIT_MS = 180_000;

/** Starts a file of the benchmark that calls `obey`; `file` is relative to `bench/`. */
export function startChild(file: string): Child {
  const child = fork(path.join(import.meta.dirname, '..', file), { execArgv: [] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    if (child.connected) child.disconnect();
    await ended;
  };
  atEnd(stop);
  return {
    pid: child.pid ?? 0,
    async ask<Answer>(command: unknown, limitMs = ANSWER_LIMIT_MS) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const limit = setTimeout(() => reject(new Error(`${file} did not answer within ${limitMs} ms.`)), limitMs);
      const fail = (code: number | null) => reject(new Error(`${file} ended with code ${code} and no answer.`));
      const take = ({ answer }: { answer: Answer }) => resolve(answer);
      child.once('exit', fail);
      child.once('message', take);
      try {
        child.send(command as object);
        return await promise;
      } finally {
        clearTimeout(limit);
        child.off('exit', fail);
        child.off('message', take);
      }
    },
    stop,
  };
}

/** For the other process: answers each command with what `work` answers, and ends with its parent. */
export function obey<Command>(work: (command: Command) => Promise<unknown>): void {
  process.on('message', async (command: Command) => {
    const answer = await work(command);
    process.send?.({ answer: answer ?? null });
  });
  process.once('disconnect', () => process.exit());
  // Ctrl-C in a terminal reaches every process of the run; the parent decides when this one ends.
  process.on('SIGINT', () => undefined);
}

/** The time in milliseconds, with its fractions and the same in all processes of the machine. */
export function wallTimeMs(): number {
  return performance.timeOrigin + performance.now();
}
