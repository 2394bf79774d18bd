import { CommandError } from '../errors.ts';
import type { ProgramDeps, Settings } from '../installation.ts';
import { baseUrlOf } from '../session.ts';
import { examineDatabase } from './database.ts';
import { type Finding, ok, problem } from './finding.ts';
import { examineDisk, examineNode, examinePublicUrl, examineSecrets, examineTime } from './machine.ts';
import { examineOperation } from './operation.ts';
import { askService } from './service.ts';

export type { Finding, Level } from './finding.ts';

/** Examines everything that can be, from the machine up to the catalogue. */
export async function examine(deps: ProgramDeps, url: string | undefined): Promise<Finding[]> {
  const node = examineNode(deps.nodeVersion);
  const settings = readSettings(deps);
  if ('level' in settings) return [node, settings];
  const service = await askService(baseUrlOf(deps.env, url));
  return [
    node,
    ok('Settings', `valid, for ${settings.env}`),
    ...examineSecrets(deps.env, settings),
    examinePublicUrl(settings),
    examineTime(settings, deps.clock.now()),
    examineDisk(settings.dataDir),
    service.finding,
    ...(await examineDatabase(deps, settings, service, url)),
    ...(service.state === 'ready' ? await examineOperation(deps, url) : []),
  ];
}

function readSettings(deps: ProgramDeps): Settings | Finding {
  try {
    return deps.installation.readSettings();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return problem('Settings', error.message, 'correct these environment variables; .env.example explains them');
  }
}
