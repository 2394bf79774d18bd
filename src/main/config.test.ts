import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENVIRONMENT_VARIABLES, readConfig } from './config.ts';

let directory: string;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-config-'));
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

const KEY = Buffer.alloc(32, 9).toString('base64');

describe('in development', () => {
  test('an empty environment is enough: secrets are made once, kept, and readable by their owner alone', () => {
    const config = readConfig({ DATA_DIR: directory });
    expect(config).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      env: 'development',
      role: 'all',
      rateLimit: 50,
      requestLogDays: 7,
      exchangeDays: 30,
      eventDays: 180,
      expiredEvents: 'drop',
      currency: 'IDR',
      timeZone: 'Asia/Jakarta',
      databaseUrl: null,
    });
    expect(readConfig({ DATA_DIR: directory }).adminToken).toBe(config.adminToken);
    expect(readConfig({ DATA_DIR: directory }).masterKey).toEqual(config.masterKey);
    expect(fs.statSync(path.join(directory, 'master-key')).mode & 0o077).toBe(0);
  });

  test('blank variables count as missing', () => {
    expect(readConfig({ DATA_DIR: directory, PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 3000, databaseUrl: null });
  });
});

describe('in production', () => {
  test('it does not start without its secrets, and says all that is missing at once', () => {
    expect(() => readConfig({ TOPGATE_ENV: 'production' })).toThrow(/ADMIN_TOKEN is required[\s\S]*MASTER_KEY is required/);
  });

  test.each(['dG9wZ2F0ZS1leGFtcGxlLW1hc3Rlci1rZXktMzJieXQ=', Buffer.alloc(32).toString('base64')])(
    'it refuses the known example key %s',
    (key) => {
      expect(() => readConfig({ TOPGATE_ENV: 'production', ADMIN_TOKEN: 'a-long-admin-token', MASTER_KEY: key })).toThrow(
        'public example',
      );
    },
  );

  test('it starts with secrets of its own', () => {
    expect(readConfig({ TOPGATE_ENV: 'production', ADMIN_TOKEN: 'a-long-admin-token', MASTER_KEY: KEY }).env).toBe('production');
  });
});

test.each([
  ['PORT', 'eighty'],
  ['PORT', '70000'],
  ['DATABASE_URL', 'mysql://localhost'],
  ['TOPGATE_ENV', 'staging'],
  ['ROLE', 'boss'],
  ['MASTER_KEY', 'short'],
  ['RATE_LIMIT', '-1'],
  ['REQUEST_LOG_DAYS', '91'],
  ['EVENT_DAYS', '7'],
  ['EXPIRED_EVENTS', 'shred'],
  ['CURRENCY', 'rupiah'],
  ['TIME_ZONE', 'Mars/Olympus'],
])('%s=%s is refused by name', (name, value) => {
  expect(() => readConfig({ DATA_DIR: directory, [name]: value })).toThrow(name);
});

test('a process of one role needs a database that others can share', () => {
  expect(() => readConfig({ DATA_DIR: directory, ROLE: 'worker' })).toThrow('DATABASE_URL');
  expect(readConfig({ DATA_DIR: directory, ROLE: 'worker', DATABASE_URL: 'postgres://localhost/topgate' }).role).toBe('worker');
});

test.each(['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'])('%s is another way to a database that is set', (name) => {
  const url = 'postgres://localhost/topgate';
  expect(() => readConfig({ DATA_DIR: directory, [name]: url })).toThrow(`${name} needs DATABASE_URL`);
  expect(() => readConfig({ DATA_DIR: directory, DATABASE_URL: url, [name]: 'localhost' })).toThrow(name);
  const { databaseDirectUrl, databaseReplicaUrl } = readConfig({ DATA_DIR: directory, DATABASE_URL: url, [name]: url });
  expect([databaseDirectUrl, databaseReplicaUrl].filter((one) => one !== null)).toEqual([url]);
});

test('.env.example names every variable, and no other', () => {
  const example = fs.readFileSync(path.join(import.meta.dirname, '../../.env.example'), 'utf8');
  const named = [...example.matchAll(/^#?\s?([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(ENVIRONMENT_VARIABLES));
});
