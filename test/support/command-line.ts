import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { CommandError, run, type TextInput } from '../../src/cli/index.ts';
import type { Environment, Installation } from '../../src/cli/installation.ts';
import type { Db } from '../../src/db/database.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import type { SupplierKind } from '../../src/suppliers/supplier.ts';
import { openInMemory, type TestDatabase } from './engines.ts';
import { ADMIN_TOKEN, openTestService, type TestService } from './service.ts';
import { NO_INPUT } from './text-input.ts';

/** The command line of one installation, for all tests of a file. */
export interface CommandLine {
  /** Runs one command line as a person would, and answers what they would see. */
  topgateCommand(argv: string[], env?: Environment, input?: TextInput): Promise<{ code: number; stdout: string; stderr: string }>;
  /** What the command prints with `--json`; it has to succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape.
  json(argv: string[], env?: Environment): Promise<any>;
  /** A reseller with a test balance, and the environment in which commands act as it. */
  newReseller(username: string): Promise<Environment>;
  /** A folder for files of these tests. */
  folder(): string;
  db(): Db;
  /** Where the service listens. */
  baseUrl(): string;
}

/** Real time, but nobody waits for it: what a command waits for is a few turns away. */
const IMPATIENT: Clock = { now: () => systemClock.now(), sleep: () => nextTurn() };

/** An installation that tells the machine's faults. */
const INSTALLATION: Installation = {
  serve: () => Promise.reject(new CommandError('The data directory is in use.')),
  readSettings: () => {
    throw new CommandError('Topgate cannot start with these settings:\n  - PORT must be a port number');
  },
  migrate: async () => [],
  inspectDatabase: () => Promise.reject(new CommandError('not in this test')),
};

export function commandLine(options: { supplierKinds?: SupplierKind[] } = {}): CommandLine {
  let database: TestDatabase;
  let topgate: TestService;
  let url: string;
  let folder: string;

  beforeAll(async () => {
    database = await openInMemory();
    topgate = await openTestService(database, options);
    url = await topgate.service.app.listen({ port: 0, host: '127.0.0.1' });
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-cli-'));
  });
  afterAll(async () => {
    await topgate.stop();
    await database.drop();
    fs.rmSync(folder, { recursive: true });
  });

  const topgateCommand: CommandLine['topgateCommand'] = async (argv, env = {}, input = NO_INPUT) => {
    const seen = { stdout: '', stderr: '' };
    const code = await run(argv, {
      env: { TOPGATE_URL: url, ADMIN_TOKEN, DATA_DIR: folder, ...env },
      stdout: { write: (text) => (seen.stdout += text) },
      stderr: { write: (text) => (seen.stderr += text) },
      clock: IMPATIENT,
      version: '0.0.0-test',
      nodeVersion: process.versions.node,
      installation: INSTALLATION,
      input,
      interruption: () => new AbortController().signal,
    });
    return { code, ...seen };
  };
  const json: CommandLine['json'] = async (argv, env = {}) => {
    const { code, stdout, stderr } = await topgateCommand([...argv, '--json'], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  return {
    topgateCommand,
    json,
    async newReseller(username) {
      await json(['reseller', 'add', username]);
      await json(['deposit', username, '100000', '--mode', 'test', '--reference', 'opening']);
      const issued = await json(['token', 'add', username, '--mode', 'test']);
      return { TOPGATE_TOKEN: issued.access_token, TOPGATE_SECRET: issued.signing_secret };
    },
    folder: () => folder,
    db: () => database.database.db,
    baseUrl: () => url,
  };
}
