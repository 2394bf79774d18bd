import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';

/** A statement with its parameters, ready to be sent. */
export interface Statement {
  text: string;
  parameters: readonly unknown[];
}

/** What a statement answers. `command` is the one the server names, such as `SELECT` or `COMMIT`. */
export interface Answer {
  rows: Record<string, unknown>[];
  affectedRows: number;
  command: string;
}

/** A session of either engine, which runs one statement at a time. */
export interface Wire {
  /**
   * Runs statements one behind the other, all sent at once: one round trip. Answers each, in the same order, or rejects with the
   * first error; the statements behind it may or may not have been tried then.
   */
  run(statements: Statement[]): Promise<Answer[]>;
}

/** Where wires come from. */
export interface Wires {
  acquire(): Promise<Wire>;
  /** `broken`: nobody may use it again. */
  release(wire: Wire, broken: boolean): void;
  close(): Promise<void>;
  /** Says, for instance, whether there is more than one. */
  adapter: DialectAdapter;
}

/**
 * Kysely over wires. Its own dialects wait for each statement's answer before they send the next. Here a transaction's `begin`
 * goes out with the first statement, and statements marked by `later` with the next one, at the latest with `commit`: measured
 * under load, each answer waited for costs milliseconds, because the thread that reads it also serves HTTP.
 */
export function wireDialect(wires: Wires): Dialect {
  return {
    createAdapter: () => wires.adapter,
    createDriver: () => new WireDriver(wires),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

const postponed = new WeakSet<CompiledQuery>();

/** Marks a statement whose answer nobody needs: it is sent together with the transaction's next one. */
export function postpone(query: CompiledQuery): CompiledQuery {
  postponed.add(query);
  return query;
}

const combined = new WeakMap<CompiledQuery, CompiledQuery[]>();

/** Several statements as one, whose rows are theirs: for each statement the list of its rows. */
export function combine(queries: CompiledQuery[]): CompiledQuery<unknown[]> {
  const query: CompiledQuery<unknown[]> = CompiledQuery.raw(queries.map(({ sql }) => sql).join('; '));
  combined.set(query, queries);
  return query;
}

class WireDriver implements Driver {
  readonly #wires: Wires;

  constructor(wires: Wires) {
    this.#wires = wires;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new WireConnection(await this.#wires.acquire());
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const { wire, isBroken } = connection as WireConnection;
    this.#wires.release(wire, isBroken);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(postpone(CompiledQuery.raw('begin')));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as WireConnection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as WireConnection).rollBack();
  }

  async destroy(): Promise<void> {
    await this.#wires.close();
  }
}

/** One user's turn with a wire. */
class WireConnection implements DatabaseConnection {
  readonly wire: Wire;
  isBroken = false;
  #waiting: Statement[] = [];
  #hasSent = false;

  constructor(wire: Wire) {
    this.wire = wire;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (postponed.has(query)) {
      this.#waiting.push(toStatement(query));
      return { rows: [] };
    }
    const parts = combined.get(query);
    if (parts) {
      const answers = await this.#send(parts.map(toStatement));
      return { rows: answers.map(({ rows }) => rows) as Row[] };
    }
    const [answer] = await this.#send([toStatement(query)]);
    return { rows: (answer?.rows ?? []) as Row[], numAffectedRows: BigInt(answer?.affectedRows ?? 0) };
  }

  async commit(): Promise<void> {
    const [answer] = await this.#send([{ text: 'commit', parameters: [] }]);
    // PostgreSQL answers so when a statement had failed and somebody went on as if it had not.
    if (answer?.command === 'ROLLBACK')
      throw new Error('The transaction was rolled back: one of its statements had failed before.');
  }

  async rollBack(): Promise<void> {
    this.#waiting = [];
    if (!this.#hasSent) return;
    try {
      await this.#send([{ text: 'rollback', parameters: [] }]);
    } catch (error) {
      this.isBroken = true;
      throw error;
    }
  }

  // biome-ignore lint/correctness/useYield: nothing here reads that much, and this says so to whoever tries.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Statements are not streamed; read page by page.');
  }

  /** Answers these statements; what waits goes before them. */
  async #send(statements: Statement[]): Promise<Answer[]> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#hasSent = true;
    const answers = await this.wire.run([...waiting, ...statements]);
    return answers.slice(waiting.length);
  }
}

function toStatement({ sql, parameters }: CompiledQuery): Statement {
  return { text: sql, parameters };
}
