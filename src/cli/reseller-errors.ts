import { isTopgateError, TopgateConnectionError } from '../../sdk/src/index.ts';
import { describeNoAnswer, describeRefusal, describeStranger, describeTimeout } from './client.ts';
import { CommandError } from './errors.ts';

const TOKEN_HINT = 'Check the access token: TOPGATE_TOKEN or --token.';

/** What went wrong with a call of the client library, in words for the person at the terminal. Bugs stay as they are. */
export function explain(error: unknown, baseUrl: string): unknown {
  if (!isTopgateError(error)) return error;
  if (error.code === 'outcome_unknown') return explainUnknown(error.cause, error.details.ref_id, baseUrl);
  if (!(error instanceof TopgateConnectionError))
    return describeRefusal({ ...error, message: error.message, details: { ...error.details } }, TOKEN_HINT);
  switch (error.code) {
    case 'timeout':
      return describeTimeout(error, baseUrl);
    case 'aborted':
      return new CommandError('Ended before Topgate answered.', { cause: error });
    case 'unreadable_answer':
      return describeStranger(baseUrl);
    default:
      return describeNoAnswer(error.cause, baseUrl);
  }
}

function explainUnknown(cause: unknown, refId: string, baseUrl: string): unknown {
  const reason = explain(cause, baseUrl);
  if (!(reason instanceof CommandError)) return reason;
  return new CommandError(
    `${reason.message}\n  The order may exist. Ask with: topgate order status ${refId}\n` +
      `  Or repeat the command with --ref-id ${refId}: one reference never buys twice.`,
    { cause },
  );
}
