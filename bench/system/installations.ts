import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Credentials } from '../load/task.ts';
import type { BenchPostgres } from './postgres.ts';
import { type BenchServer, startServer } from './server.ts';

export type Engine = 'embedded' | 'postgres';

/** A Topgate with resellers who have money, and no orders yet: where every case begins. */
export interface Installation {
  engine: Engine;
  databaseUrl: string | null;
  dataDir: string | null;
  resellers: Credentials[];
  discard(): Promise<void>;
}

/** Makes installations as copies of one that was set up once, so that a case with 10,000 resellers begins at once as well. */
export interface Installations {
  open(engine: Engine, resellers: number): Promise<Installation>;
}

/** Enough for millions of orders: no case ends for lack of money. */
export const DEPOSIT = 100_000_000_000;
const REGISTERED_AT_ONCE = 16;

export function openInstallations(postgres: BenchPostgres, step: (text: string) => void): Installations {
  const patterns = new Map<string, Promise<Installation>>();
  return {
    async open(engine, resellers) {
      const key = `${engine} ${resellers}`;
      const pattern = patterns.get(key) ?? setUp(postgres, engine, resellers, step);
      patterns.set(key, pattern);
      return copy(postgres, await pattern);
    },
  };
}

async function setUp(
  postgres: BenchPostgres,
  engine: Engine,
  count: number,
  step: (text: string) => void,
): Promise<Installation> {
  step(`setting up ${count.toLocaleString('en')} reseller${count === 1 ? '' : 's'} (${engine})`);
  const databaseUrl = engine === 'postgres' ? await postgres.createDatabase() : null;
  const dataDir = engine === 'embedded' ? path.join(newFolder(), 'data') : null;
  const server = await startServer({ role: engine === 'postgres' ? 'api' : 'all', databaseUrl, dataDir });
  const resellers = await addResellers(server, count);
  await server.stop();
  return { engine, databaseUrl, dataDir, resellers, discard: async () => undefined };
}

async function copy(postgres: BenchPostgres, pattern: Installation): Promise<Installation> {
  if (pattern.databaseUrl !== null) {
    const databaseUrl = await postgres.createDatabase(pattern.databaseUrl);
    return { ...pattern, databaseUrl, discard: () => postgres.dropDatabase(databaseUrl) };
  }
  const folder = newFolder();
  const dataDir = path.join(folder, 'data');
  if (pattern.dataDir !== null) fs.cpSync(pattern.dataDir, dataDir, { recursive: true });
  return { ...pattern, dataDir, discard: async () => fs.rmSync(folder, { recursive: true, force: true }) };
}

/** Registers resellers with a live token and more money than they can spend. */
async function addResellers(server: BenchServer, count: number): Promise<Credentials[]> {
  const resellers = new Array<Credentials>(count);
  let next = 0;
  const register = async () => {
    for (let index = next++; index < count; index = next++) resellers[index] = await addReseller(server, index + 1);
  };
  await Promise.all(Array.from({ length: REGISTERED_AT_ONCE }, register));
  return resellers;
}

async function addReseller(server: BenchServer, number: number): Promise<Credentials> {
  const { reseller_id: id } = await server.admin<{ reseller_id: string }>('POST', '/admin/api/reseller', {
    name: `Bench ${number}`,
    username: `bench-${number}`,
  });
  const issued = await server.admin<{ access_token: string; signing_secret: string }>(
    'POST',
    `/admin/api/reseller/${id}/credential`,
    { mode: 'live' },
  );
  await server.admin('POST', `/admin/api/reseller/${id}/deposit`, { amount: DEPOSIT, mode: 'live', reference: 'bench' });
  return { token: issued.access_token, secret: issued.signing_secret };
}

function newFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-installation-'));
}
