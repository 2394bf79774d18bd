import { fork } from 'node:child_process';
import path from 'node:path';
import type { LoadReport, LoadTask } from './load.ts';

const START_AND_STOP_MS = 60_000;

/** Runs the load generator in its own process and fails unless every single answer was 200. */
export function runLoad(task: LoadTask): Promise<LoadReport> {
  const child = fork(path.join(import.meta.dirname, 'load.ts'), { execArgv: [] });
  const limitMs = task.plan.warmUpMs + task.plan.measureMs + START_AND_STOP_MS;
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The load generator did not end within ${limitMs} ms.`));
    }, limitMs);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(limit);
      reject(new Error(`The load generator ended with code ${code} and no report.`));
    });
    child.once('message', (report: LoadReport) => {
      if (report.firstRefusal === null) resolve(report);
      else reject(new Error(`Some orders were refused: ${JSON.stringify(report.statuses)}, first: ${report.firstRefusal}`));
    });
    child.send(task);
  });
}
