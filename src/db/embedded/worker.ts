import { parentPort, workerData } from 'node:worker_threads';
import { required } from '../../lib/assert.ts';
import { openDirectory } from './engine.ts';
import { toErrorFields } from './session.ts';
import type { WorkerRequest, WorkerResponse } from './worker-session.ts';

/**
 * The thread that owns the embedded engine. WebAssembly runs synchronously, so here a long query delays only other queries
 * and never the thread that answers HTTP.
 */
const port = required(parentPort, 'the port to the main thread');
const { directory } = workerData as { directory: string };

try {
  const session = await openDirectory(directory);
  port.on('message', async (request: WorkerRequest) => {
    try {
      const answers = await run(request);
      port.postMessage({ id: request.id, ok: true, answers } satisfies WorkerResponse);
    } catch (error) {
      port.postMessage({ id: request.id, ok: false, error: toErrorFields(error) } satisfies WorkerResponse);
    }
    if (request.kind === 'close') port.close();
  });
  port.postMessage({ id: 0, ok: true, answers: [] } satisfies WorkerResponse);

  async function run(request: WorkerRequest) {
    if (request.kind === 'run') return session.run(request.statements);
    if (request.kind === 'script') return [{ rows: await session.script(request.text), affectedRows: 0, command: 'SCRIPT' }];
    await session.close();
    return [];
  }
} catch (error) {
  port.postMessage({ id: 0, ok: false, error: toErrorFields(error) } satisfies WorkerResponse);
  port.close();
}
