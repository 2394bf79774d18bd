import { SECOND_MS } from '../../lib/clock.ts';
import { describeNoAnswer } from '../client.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const LIMIT_MS = 5 * SECOND_MS;

/** Whether the service answers, and what time it has. */
export interface ServiceHealth {
  finding: Finding;
  state: 'ready' | 'not_ready' | 'silent';
  /** Its clock, to the second; null when it did not answer. */
  now: Date | null;
}

/** Asks the service whether it takes orders. */
export async function askService(baseUrl: string): Promise<ServiceHealth> {
  try {
    const response = await fetch(`${baseUrl}/health/ready`, { redirect: 'error', signal: AbortSignal.timeout(LIMIT_MS) });
    const answer = await response.text();
    const date = response.headers.get('date');
    return { ...judgeAnswer(baseUrl, response.status, answer), now: date === null ? null : new Date(date) };
  } catch (error) {
    const noAnswer = describeNoAnswer(error, baseUrl);
    const finding = noAnswer.sent
      ? problem('Service', noAnswer.message, 'look into its log; stop it and start it again')
      : warning('Service', `nothing answers at ${baseUrl}`, 'start it with: npm start');
    return { finding, state: 'silent', now: null };
  }
}

/** What an answer of `/health/ready` means. */
export function judgeAnswer(baseUrl: string, status: number, answer: string): Pick<ServiceHealth, 'finding' | 'state'> {
  if (status === 200 && answer.includes('"ready"')) return { finding: judgeReplica(baseUrl, answer), state: 'ready' };
  if (status === 503 && answer.includes('"success":false')) {
    const advice = 'wait a moment and ask again; its log tells more';
    return { finding: problem('Service', `answers at ${baseUrl}, but is not ready`, advice), state: 'not_ready' };
  }
  const advice = 'give Topgate another PORT, or tell where it is with TOPGATE_URL';
  return { finding: problem('Service', `something else than Topgate answers at ${baseUrl}`, advice), state: 'silent' };
}

/** Without its replica a service lacks nothing but help. */
function judgeReplica(baseUrl: string, answer: string): Finding {
  const text = `takes orders at ${baseUrl}`;
  const [, state] = /"replica":"(away|behind)"/.exec(answer) ?? [];
  if (state === undefined) return ok('Service', text);
  const trouble = state === 'away' ? 'does not answer' : 'is too far behind';
  return warning('Service', `${text}, but its read replica ${trouble}`, 'look at the server that DATABASE_REPLICA_URL names');
}
