import fs from 'node:fs';
import { PGlite, types } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import type { Clock } from '../../lib/clock.ts';
import { StartError } from '../../lib/start-error.ts';
import type { Answer } from '../dialect.ts';
import type { Session } from './session.ts';
import { Statements } from './statements.ts';

/**
 * PostgreSQL compiled to WebAssembly, with its fsync made real.
 *
 * As shipped, PGlite starts with fsync off and its file system has no fsync at all, so a commit survives the death of the
 * process but not the loss of power. `DurableNodeFS` adds the missing call; the start parameters turn fsync back on and pick
 * the one sync method of this build that reaches it. The hook uses an inside of PGlite, so its version is pinned and
 * `assertDurable` counts at every start that a commit really calls fsync.
 */
class DurableNodeFS extends NodeFS {
  fsyncCount = 0;

  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const result = await super.init(...args);
    const preRun = [result.emscriptenOpts.preRun ?? []].flat();
    result.emscriptenOpts.preRun = [...preRun, (module) => this.#makeFsyncReal(module)];
    return result;
  }

  #makeFsyncReal(module: unknown): void {
    const { NODEFS } = module as { NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } } };
    NODEFS.stream_ops.fsync = (stream) => {
      fs.fsyncSync(stream.nfd);
      this.fsyncCount += 1;
      return 0;
    };
  }
}

const DURABLE_START = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'fsync=on'],
  ...['-c', 'wal_sync_method=fsync'],
];

/** int8 is money here: always a bigint, never a number that is only sometimes exact. */
const PARSERS = { [types.INT8]: (value: string) => BigInt(value) };

/** Opens the data directory in this thread. The server does it in a worker thread: see `worker.ts`. */
export async function openDirectory(directory: string): Promise<Session> {
  const fileSystem = new DurableNodeFS(directory);
  const engine = await PGlite.create({ fs: fileSystem, startParams: DURABLE_START, parsers: PARSERS });
  await assertDurable(engine, fileSystem);
  return toSession(engine);
}

/** A throw-away engine in memory, for tests. `clock`: what the age of plans is told by. */
export async function openMemory(dump?: Blob, clock?: Pick<Clock, 'now'>): Promise<Session & { dump(): Promise<Blob> }> {
  const engine = await PGlite.create({ startParams: DURABLE_START, parsers: PARSERS, ...(dump ? { loadDataDir: dump } : {}) });
  return { ...toSession(engine, clock), dump: () => engine.dumpDataDir('none') };
}

function toSession(engine: PGlite, clock?: Pick<Clock, 'now'>): Session {
  const known = new Statements(engine, clock);
  return {
    run: (statements) =>
      engine.runExclusive(async () => {
        const answers: Answer[] = [];
        for (const statement of statements) answers.push(await known.run(statement));
        return answers;
      }),
    async script(text) {
      const results = await engine.exec(text);
      await engine.runExclusive(() => known.forget());
      return results.flatMap(({ rows }) => rows);
    },
    async close() {
      // A checkpoint now leaves nothing to replay at the next start.
      await engine.exec('CHECKPOINT');
      await engine.close();
    },
  };
}

async function assertDurable(engine: PGlite, fileSystem: DurableNodeFS): Promise<void> {
  const before = fileSystem.fsyncCount;
  await engine.query(`select pg_logical_emit_message(true, 'topgate', 'durability probe')`);
  if (fileSystem.fsyncCount === before) {
    await engine.close();
    throw new StartError('The embedded database does not reach the disk on commit (fsync was not called). Refusing to start.');
  }
}
