import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { Topgate } from '../../sdk/src/index.ts';
import { type Client, createClient, LIMIT_MS } from './client.ts';
import { CommandError } from './errors.ts';
import type { Environment, ProgramDeps } from './installation.ts';
import { createOutput, type Output } from './output.ts';
import { explain } from './reseller-errors.ts';

/** What a command of the operator works with: someone to ask, and somewhere to tell. */
export interface Session {
  client: Client;
  output: Output;
  /** Admin answers about balances do not name the currency; it is the installation's. */
  currency: string;
}

/** What a command of a reseller works with. */
export interface ResellerSession {
  /** Asks through the client library; what goes wrong becomes a message for the person. */
  call<Data>(work: (topgate: Topgate) => Promise<Data>): Promise<Data>;
  output: Output;
  /** Whether orders can be signed. */
  canSign: boolean;
}

interface CommonOptions {
  json?: boolean;
  url?: string;
}

export interface AdminOptions extends CommonOptions {
  adminToken?: string;
}

export interface TokenOptions extends CommonOptions {
  token?: string;
}

export interface ResellerOptions extends TokenOptions {
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
  return withTokenOptions(command).option('--secret <secret>', 'its signing secret (or TOPGATE_SECRET)');
}

/** The same for a command that signs no orders. */
export function withTokenOptions(command: Command): Command {
  return command
    .option('--json', JSON_OPTION)
    .option('--url <address>', URL_OPTION)
    .option('--token <token>', "the reseller's access token (or TOPGATE_TOKEN; in development the demo reseller's)");
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
  return {
    client: createClient({ baseUrl: baseUrlOf(env, options.url), token, tokenHint }),
    output: createOutput(deps, options.json === true),
    currency: currencyOf(env),
  };
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
  const signingSecret = options.secret || env.TOPGATE_SECRET || demo?.signingSecret;
  const baseUrl = baseUrlOf(env, options.url);
  const topgate = openTopgate(deps, { baseUrl, token, signingSecret });
  return {
    async call(work) {
      try {
        return await work(topgate);
      } catch (error) {
        throw explain(error, baseUrl);
      }
    },
    output: createOutput(deps, options.json === true),
    canSign: signingSecret !== undefined,
  };
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

function openTopgate(
  { clock }: ProgramDeps,
  identity: { baseUrl: string; token: string; signingSecret: string | undefined },
): Topgate {
  try {
    return new Topgate({ ...identity, clock, timeoutMs: LIMIT_MS, deadlineMs: LIMIT_MS });
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
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
