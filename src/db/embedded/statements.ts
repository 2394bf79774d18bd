import { type PGlite, parse, protocol } from '@electric-sql/pglite';
import { type Clock, SECOND_MS, systemClock } from '../../lib/clock.ts';
import type { Answer, Statement } from '../dialect.ts';

interface Prepared {
  name: string;
  /** The types of its parameters, by their numbers in PostgreSQL's catalogue. */
  parameterTypes: number[];
  /** The message that describes its rows; none when it has none. */
  description: ReturnType<typeof describeRows>;
}

type Messages = Awaited<ReturnType<PGlite['execProtocol']>>['messages'];

const MAX_PREPARED = 500;
/**
 * For how long plans are kept. They are made for tables of a certain size, and nothing tells a plan that its table has grown:
 * the embedded engine has no process that would gather statistics. Making all anew takes some milliseconds.
 */
const PLANS_LAST_MS = 2 * SECOND_MS;

/**
 * Runs statements on the embedded engine, each prepared the first time it is seen. PGlite's own `query` parses, plans and
 * describes a statement anew each time, in five calls into the engine; here it is one call, and a third of the time for a small
 * statement (1.4 instead of 3.0 ms for the six of a single order). The caller has the engine to itself meanwhile.
 */
export class Statements {
  readonly #engine: PGlite;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known = new Map<string, Prepared>();
  #named = 0;
  #plannedAtMs = 0;

  constructor(engine: PGlite, clock: Pick<Clock, 'now'> = systemClock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  async run({ text, parameters }: Statement): Promise<Answer> {
    await this.#renewPlans();
    const prepared = this.#known.get(text) ?? (await this.#prepare(text));
    const values = parameters.map((value, index) => this.#toText(value, prepared.parameterTypes[index] ?? 0));
    const messages = await this.#exchange([
      protocol.serialize.bind({ statement: prepared.name, values }),
      protocol.serialize.execute({}),
      protocol.serialize.sync(),
    ]);
    const described = prepared.description ? [prepared.description, ...messages] : messages;
    const [result] = parse.parseResults(described, this.#engine.parsers);
    return {
      rows: (result?.rows ?? []) as Answer['rows'],
      affectedRows: result?.affectedRows ?? 0,
      command: commandOf(messages),
    };
  }

  /** Forgets all of them, as the tables they speak of may have changed. */
  async forget(): Promise<void> {
    this.#known.clear();
    await this.#exchange([protocol.serialize.query('deallocate all')]);
  }

  async #prepare(text: string): Promise<Prepared> {
    if (this.#known.size >= MAX_PREPARED) await this.forget();
    const name = `s${++this.#named}`;
    const messages = await this.#exchange([
      protocol.serialize.parse({ name, text }),
      protocol.serialize.describe({ type: 'S', name }),
      protocol.serialize.sync(),
    ]);
    const prepared = {
      name,
      parameterTypes: parse.parseDescribeStatementResults(messages),
      description: describeRows(messages),
    };
    this.#known.set(text, prepared);
    return prepared;
  }

  async #renewPlans(): Promise<void> {
    const now = this.#clock.now().getTime();
    if (Math.abs(now - this.#plannedAtMs) < PLANS_LAST_MS) return;
    // In a transaction that has failed PostgreSQL takes nothing but its end. The next one begins outside of it.
    if (this.#engine.isInTransaction()) return;
    this.#plannedAtMs = now;
    await this.#exchange([protocol.serialize.query('discard plans')]);
  }

  #toText(value: unknown, type: number) {
    if (value === null || value === undefined) return null;
    const serialize = this.#engine.serializers[type];
    return serialize ? serialize(value) : String(value);
  }

  async #exchange(parts: Uint8Array[]): Promise<Messages> {
    const { messages } = await this.#engine.execProtocol(Buffer.concat(parts), { syncToFs: false });
    return messages;
  }
}

function describeRows(messages: Messages) {
  return messages.find(({ name }) => name === 'rowDescription') ?? null;
}

/** The first word of `COMMIT`, `UPDATE 3` or `INSERT 0 5`. */
function commandOf(messages: Messages): string {
  const complete = messages.find((message) => message.name === 'commandComplete') as { text?: string } | undefined;
  return complete?.text?.split(' ', 1)[0] ?? '';
}
