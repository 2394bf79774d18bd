import { PostgresAdapter } from 'kysely';
import pg from 'pg';
import type { Answer, Statement, Wire, Wires } from './dialect.ts';

/** Commands whose row count says how many rows they changed, and not how many they answered. */
const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** The connections of a pool. */
export function poolWires(pool: pg.Pool): Wires {
  return {
    acquire: async () => new PoolWire(await pool.connect()),
    release: (wire, broken) => (wire as PoolWire).client.release(broken || (wire as PoolWire).isLost),
    close: () => pool.end(),
    adapter: new PostgresAdapter(),
  };
}

class PoolWire implements Wire {
  readonly client: pg.PoolClient;
  /** It gave no answer, so nobody else shall get it. */
  isLost = false;

  constructor(client: pg.PoolClient) {
    this.client = client;
  }

  async run(statements: Statement[]): Promise<Answer[]> {
    // In a pipeline each has its own answer, also behind one that failed: all are waited for, so none is left over.
    const results = await Promise.allSettled(statements.map(({ text, parameters }) => this.client.query(text, [...parameters])));
    return results.map((result) => {
      if (result.status === 'rejected') {
        this.isLost ||= !(result.reason instanceof pg.DatabaseError);
        throw result.reason;
      }
      // A script of several statements answers each; what counts is the end.
      const [{ rows, rowCount, command }] = [result.value].flat().slice(-1) as [pg.QueryResult];
      return { rows, command, affectedRows: CHANGES.has(command) ? (rowCount ?? 0) : 0 };
    });
  }
}
