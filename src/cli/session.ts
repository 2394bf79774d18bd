import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { type Client, createClient } from './client.ts';
import { CommandError } from './errors.ts';
import type { Environment, ProgramDeps } from './installation.ts';
import { createOutput, type Output } from './output.ts';

/** What a command works with: someone to ask, and somewhere to tell. */
export interface Session {
  client: Client;
  output: Output;
  /** Admin answers about balances do not name the currency; it is the installation's. */
  currency: string;
}

export interface ResellerSession extends Session {
  /** The secret that signs orders. */
  secret: string | null;
}

interface CommonOptions {
  json?: boolean;
  url?: string;
}

export interface AdminOptions extends CommonOptions {
  adminToken?: string;
}

export interface ResellerOptions extends CommonOptions {
  token?: string;
  secret?: string;
}

const DEFAULT_PORT = '3000';
const DEFAULT_DATA_DIR = './data';
const JSON_OPTION = 'print the data as JSON and nothing else';
const URL_OPTION = 'where Topgate answers (or TOPGATE_URL; default http://127.0.0.1:$PORT)';

const demoSchema = z.object({ accessToken: z.string(), signingSecret: z.string() });

/** Adds the options of a command that acts as the operator. */
export function withAdminOptions(command: Command): Command {
  return command
    .option('--json', JSON_OPTION)
    .option('--url <address>', URL_OPTION)
    .option('--admin-token <token>', 'the admin token (or ADMIN_TOKEN; in development the one in DATA_DIR)');
}

/** Adds the options of a command that acts as a reseller. */
export function withResellerOptions(command: Command): Command {
  return command
    .option('--json', JSON_OPTION)
    .option('--url <address>', URL_OPTION)
    .option('--token <token>', "the reseller's access token (or TOPGATE_TOKEN; in development the demo reseller's)")
    .option('--secret <secret>', 'its signing secret (or TOPGATE_SECRET)');
}

/** A session with the admin interface. */
export function openAdminSession(deps: ProgramDeps, options: AdminOptions): Session {
  const { env } = deps;
  const token = options.adminToken || env.ADMIN_TOKEN || readDataFile(env, 'admin-token')?.trim();
  if (!token) {
    throw new CommandError(
      'There is no admin token to ask with. Give it in ADMIN_TOKEN or with --admin-token.\n' +
        `  In development Topgate makes one at its first start, in ${dataDirOf(env)}.`,
    );
  }
  const tokenHint = 'The admin token was refused. It is the ADMIN_TOKEN of the running service.';
  return openSession(deps, options, { token, tokenHint });
}

/** A session with the reseller interface. */
export function openResellerSession(deps: ProgramDeps, options: ResellerOptions): ResellerSession {
  const { env } = deps;
  const given = options.token || env.TOPGATE_TOKEN;
  const demo = given ? null : readDemo(env);
  const token = given ?? demo?.accessToken;
  if (!token) {
    throw new CommandError(
      'There is no access token to ask with. Give a reseller\'s in TOPGATE_TOKEN or with --token; "topgate token add" issues one.',
    );
  }
  const tokenHint = 'Check the access token: TOPGATE_TOKEN or --token.';
  const secret = options.secret || env.TOPGATE_SECRET || demo?.signingSecret || null;
  return { ...openSession(deps, options, { token, tokenHint }), secret };
}

/** The service's address, without a slash at its end. */
export function baseUrlOf(env: Environment, option?: string): string {
  const text = option || env.TOPGATE_URL || `http://127.0.0.1:${env.PORT || DEFAULT_PORT}`;
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new CommandError(`"${text}" is not an address. Give one such as http://127.0.0.1:3000.`);
  return url.href.replace(/\/+$/, '');
}

export function currencyOf(env: Environment): string {
  return env.CURRENCY || 'IDR';
}

function openSession(deps: ProgramDeps, options: CommonOptions, identity: { token: string; tokenHint: string }): Session {
  return {
    client: createClient({ baseUrl: baseUrlOf(deps.env, options.url), ...identity }),
    output: createOutput(deps, options.json === true),
    currency: currencyOf(deps.env),
  };
}

function readDemo(env: Environment): z.infer<typeof demoSchema> | null {
  const text = readDataFile(env, 'demo.json');
  return text === null ? null : demoSchema.parse(JSON.parse(text));
}

function readDataFile(env: Environment, name: string): string | null {
  const file = path.join(dataDirOf(env), name);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
}

function dataDirOf(env: Environment): string {
  return env.DATA_DIR || DEFAULT_DATA_DIR;
}
