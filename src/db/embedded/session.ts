import type { Wire } from '../dialect.ts';

/** The embedded engine's only session: in this thread, or behind a message port. */
export interface Session extends Wire {
  /** Several statements without parameters, for migrations and maintenance; answers the rows of all. */
  script(text: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** The part of a PostgreSQL error that survives the way between threads. */
export interface SessionErrorFields {
  message: string;
  code?: string | undefined;
  constraint?: string | undefined;
  table?: string | undefined;
  detail?: string | undefined;
}

/** A failed statement, with the same field names as the errors of `pg`, so one mapping serves both engines. */
export class SessionError extends Error {
  readonly code: string | undefined;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  readonly detail: string | undefined;

  constructor(fields: SessionErrorFields) {
    super(fields.message);
    this.name = 'SessionError';
    this.code = fields.code;
    this.constraint = fields.constraint;
    this.table = fields.table;
    this.detail = fields.detail;
  }
}

export function toErrorFields(error: unknown): SessionErrorFields {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, constraint, table, detail } = error as Error & SessionErrorFields;
  return { message: error.message, code, constraint, table, detail };
}
