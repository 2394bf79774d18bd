import type { Clock } from '../lib/clock.ts';

/** The settings of this machine's installation, as far as the command line cares. */
export interface Settings {
  port: number;
  /** Where the world reaches the installation. */
  publicUrl: string;
  databaseUrl: string | null;
  dataDir: string;
  env: 'development' | 'production';
  role: string;
  currency: string;
  timeZone: string;
}

/** How the database's schema relates to this program. */
export type SchemaState =
  | { kind: 'current' }
  | { kind: 'behind'; pending: string[] }
  | { kind: 'ahead'; version: number }
  | { kind: 'changed'; name: string };

/** What a look into the database shows. It could be opened at all only because its commits reach the disk. */
export interface DatabaseFacts {
  engine: 'embedded' | 'postgres';
  /** The version of PostgreSQL. */
  version: string;
  schema: SchemaState;
  now: Date;
  /** Services that can be ordered, and how many of them no supplier is set for; null while the schema is not current. */
  services: { total: number; withoutRoute: number } | null;
}

/**
 * What the command line cannot do over HTTP, because it concerns this machine: whoever composes the program provides it.
 * Expected failures are thrown as `CommandError`.
 */
export interface Installation {
  /** Runs the service until it is told to stop. */
  serve(): Promise<void>;
  /** Reads and checks the settings, without making the secrets of a development installation. */
  readSettings(): Settings;
  /** Applies the missing migrations and answers their names. */
  migrate(): Promise<string[]>;
  /** Opens the database and looks, changing nothing. Never opens a directory that a living process holds. */
  inspectDatabase(): Promise<DatabaseFacts>;
}

/** Where text goes; `process.stdout` and `process.stderr` fit. */
export interface TextStream {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** Where a person's own words come from. */
export interface TextInput {
  isTerminal: boolean;
  /** Everything on the standard input. */
  readAll(): Promise<string>;
  /** Asks at the terminal, and does not show what is typed. */
  askSecretly(prompt: string): Promise<string>;
}

/** The environment variables the command line looks at. */
export interface Environment {
  ADMIN_TOKEN?: string | undefined;
  CURRENCY?: string | undefined;
  DATA_DIR?: string | undefined;
  MASTER_KEY?: string | undefined;
  NO_COLOR?: string | undefined;
  PORT?: string | undefined;
  TERM?: string | undefined;
  TOPGATE_SECRET?: string | undefined;
  TOPGATE_TOKEN?: string | undefined;
  TOPGATE_URL?: string | undefined;
}

/** Everything the program needs from outside, so that tests can run it in-process. */
export interface ProgramDeps {
  env: Environment;
  stdout: TextStream;
  stderr: TextStream;
  input: TextInput;
  clock: Clock;
  version: string;
  nodeVersion: string;
  installation: Installation;
  /** Aborts when the person ends the program; asked for by commands that go on until then. */
  interruption(): AbortSignal;
}
