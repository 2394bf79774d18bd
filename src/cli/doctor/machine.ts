import fs from 'node:fs';
import path from 'node:path';
import { formatTime } from '../../lib/clock.ts';
import type { Environment, Settings } from '../installation.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Node.js that runs TypeScript as it is, without a flag. */
const OLDEST_NODE = [24, 12] as const;
const GIB = 2 ** 30;
const LOW_SPACE_BYTES = 2 * GIB;
const NO_SPACE_BYTES = GIB / 4;
const OTHERS_MAY_READ = 0o077;

export function examineNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok('Node.js', version);
  return problem(
    'Node.js',
    `${version} is too old`,
    `run "npm ci" once: it brings the right one (${OLDEST_NODE.join('.')} or newer)`,
  );
}

/** Where the two secrets come from. In production the settings themselves refuse to go without them. */
export function examineSecrets(env: Environment, settings: Settings): Finding[] {
  return [
    examineSecret('Admin token', env.ADMIN_TOKEN, 'ADMIN_TOKEN', path.join(settings.dataDir, 'admin-token')),
    examineSecret('Master key', env.MASTER_KEY, 'MASTER_KEY', path.join(settings.dataDir, 'master-key')),
  ];
}

function examineSecret(name: string, value: string | undefined, variable: string, file: string): Finding {
  if (value) return ok(name, `set in ${variable}`);
  if (!fs.existsSync(file)) return ok(name, `made at the first start, in ${file}`);
  const isExposed = process.platform !== 'win32' && (fs.statSync(file).mode & OTHERS_MAY_READ) !== 0;
  return isExposed ? warning(name, `others on this machine may read ${file}`, `chmod 600 ${file}`) : ok(name, `kept in ${file}`);
}

export function examineTime(settings: Settings, now: Date): Finding {
  return ok('Time zone', `${settings.timeZone}, where it is ${formatTime(now, settings.timeZone)}`);
}

/** Suppliers are told to report to this address, and what they send must not be read or changed on its way. */
export function examinePublicUrl({ env, publicUrl }: Settings): Finding {
  if (env === 'development' || publicUrl.startsWith('https://')) return ok('Public address', publicUrl);
  return warning('Public address', `suppliers would report to ${publicUrl}`, 'set PUBLIC_URL to the https address of your proxy');
}

/** Room for the data directory; without it the embedded database stops taking orders. */
export function examineDisk(dataDir: string): Finding {
  const place = nearestExisting(dataDir);
  try {
    fs.accessSync(place, fs.constants.W_OK);
  } catch {
    return problem('Data directory', `${place} cannot be written to`, 'give it to the user Topgate runs as, or set DATA_DIR');
  }
  const { bavail, bsize } = fs.statfsSync(place);
  const free = bavail * bsize;
  const text = `${dataDir}, ${(free / GIB).toFixed(1)} GiB free`;
  if (free < NO_SPACE_BYTES) return problem('Data directory', text, 'make room on this disk before it is full');
  if (free < LOW_SPACE_BYTES) return warning('Data directory', text, 'make room on this disk soon');
  return ok('Data directory', text);
}

function nearestExisting(directory: string): string {
  const parent = path.dirname(directory);
  return fs.existsSync(directory) || parent === directory ? directory : nearestExisting(parent);
}
