import fs from 'node:fs';
import path from 'node:path';
import { SECOND_MS } from '../../lib/clock.ts';
import type { Supplier } from '../answers.ts';
import { CommandError } from '../errors.ts';
import { count } from '../format.ts';
import type { DatabaseFacts, ProgramDeps, SchemaState, Settings } from '../installation.ts';
import { openAdminSession } from '../session.ts';
import { type Finding, ok, problem, skipped, warning } from './finding.ts';
import type { ServiceHealth } from './service.ts';

const CLOCK_WARNING_MS = 5 * SECOND_MS;
const CLOCK_PROBLEM_MS = 60 * SECOND_MS;
const SET_ROUTES = 'set them with: topgate route set SERVICE SUPPLIER:ITEM:COST';

/** Opens the database and judges what is inside, or asks the service that has it open. */
export async function examineDatabase(
  deps: ProgramDeps,
  settings: Settings,
  service: ServiceHealth,
  url: string | undefined,
): Promise<Finding[]> {
  const isEmbedded = settings.databaseUrl === null;
  // The embedded engine belongs to one process; while the service has it, only the service can say how it is.
  if (isEmbedded && service.state !== 'silent') return askInstead(deps, settings, service, url);
  if (isEmbedded && !fs.existsSync(path.join(settings.dataDir, 'database')))
    return [ok('Database', `embedded PostgreSQL, made at the first start in ${settings.dataDir}`)];
  try {
    return judgeFacts(await deps.installation.inspectDatabase(), settings, deps.clock.now());
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [problem('Database', error.message, null)];
  }
}

/** What the facts mean. */
export function judgeFacts(facts: DatabaseFacts, settings: Settings, now: Date): Finding[] {
  const name = facts.engine === 'embedded' ? 'embedded PostgreSQL' : 'PostgreSQL';
  return [
    ok('Database', `${name} ${facts.version} answers, and its commits reach the disk`),
    judgeSchema(facts.schema, settings.env),
    judgeClock(facts.now, now),
    ...(facts.services === null ? [] : [judgeRoutes(facts.services)]),
  ];
}

async function askInstead(
  deps: ProgramDeps,
  settings: Settings,
  service: ServiceHealth,
  url: string | undefined,
): Promise<Finding[]> {
  const findings =
    service.state === 'ready'
      ? [ok('Database', `the running service has ${settings.dataDir} open, and says that it answers`)]
      : [problem('Database', 'the running service has it open, and does not say that it answers', "look into the service's log")];
  findings.push(skipped('Schema', 'the service checked it when it started; stop it to have it checked here'));
  if (service.now) findings.push(judgeClock(service.now, deps.clock.now()));
  findings.push(await askForRoutes(deps, url));
  return findings;
}

/** One question over HTTP instead of one per service: where no real supplier exists, no service can have a route to one. */
async function askForRoutes(deps: ProgramDeps, url: string | undefined): Promise<Finding> {
  try {
    const { client } = openAdminSession(deps, url === undefined ? {} : { url });
    const { data } = await client.get<Supplier[]>('/admin/api/supplier');
    if (data.some(({ kind }) => kind !== 'sandbox'))
      return skipped('Routes', 'counted only while the service is stopped; see one with: topgate route show SERVICE');
    return warning(
      'Routes',
      'the sandbox is the only supplier: live orders reach no real game',
      'add one with POST /admin/api/supplier, then set routes',
    );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return skipped('Routes', error.message);
  }
}

function judgeSchema(schema: SchemaState, env: Settings['env']): Finding {
  switch (schema.kind) {
    case 'current':
      return ok('Schema', 'has every migration');
    case 'behind': {
      const text = `lacks ${count(schema.pending.length, 'migration')}: ${schema.pending.join(', ')}`;
      return env === 'production'
        ? problem('Schema', text, 'back up the database, then run: topgate migrate')
        : warning('Schema', text, 'the next start applies them; or run: topgate migrate');
    }
    case 'ahead':
      return problem('Schema', `version ${schema.version} was made by a newer Topgate`, 'run that one, or restore a backup');
    case 'changed':
      return problem('Schema', `the migration ${schema.name} differs from the one applied`, 'restore the original file');
  }
}

function judgeClock(theirs: Date, ours: Date): Finding {
  const differenceMs = Math.abs(theirs.getTime() - ours.getTime());
  const text = `differs from this machine's by ${(differenceMs / SECOND_MS).toFixed(1)} s`;
  if (differenceMs >= CLOCK_PROBLEM_MS) return problem('Clock', text, 'synchronise both clocks (NTP)');
  if (differenceMs >= CLOCK_WARNING_MS) return warning('Clock', text, 'synchronise both clocks (NTP)');
  return ok('Clock', 'agrees with this machine');
}

function judgeRoutes({ total, withoutRoute }: { total: number; withoutRoute: number }): Finding {
  if (total === 0) return warning('Routes', 'no service can be ordered yet', 'import a catalogue: topgate catalog import FILE');
  if (withoutRoute === 0) return ok('Routes', `every one of ${count(total, 'service')} has a supplier`);
  const whose =
    withoutRoute === total
      ? `none of ${count(total, 'service')} has a route`
      : `${withoutRoute} of ${total} services have no route`;
  return warning('Routes', `${whose}: their live orders go to the sandbox and reach no real game`, SET_ROUTES);
}
