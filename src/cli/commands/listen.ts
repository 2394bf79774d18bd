import { type Command, InvalidArgumentError, Option } from 'commander';
import { newWebhookSecret, type TopgateEvent } from '../../../sdk/src/index.ts';
import { SECOND_MS } from '../../lib/clock.ts';
import { examples } from '../arguments.ts';
import { CommandError } from '../errors.ts';
import { shortTime } from '../format.ts';
import { type Forwarded, type ForwardTarget, forward } from '../forward.ts';
import type { ProgramDeps } from '../installation.ts';
import type { Output } from '../output.ts';
import { openResellerSession, type TokenOptions, withTokenOptions } from '../session.ts';
import { withoutControls } from '../table.ts';

interface ListenOptions extends TokenOptions {
  forwardTo: string;
  after?: number;
  secret?: string;
  types?: TopgateEvent['type'][];
}

const TYPES: Record<TopgateEvent['type'], true> = {
  'order.success': true,
  'order.failed': true,
  'order.refunded': true,
  'balance.credited': true,
  'balance.low': true,
  'service.updated': true,
  'webhook.test': true,
};
const TYPE_WIDTH = Math.max(...Object.keys(TYPES).map((type) => type.length));

/** How long to wait before each new try when nothing answers. */
const WAITS_MS = [1, 2, 4, 8].map((seconds) => seconds * SECOND_MS);

/** `topgate listen`: your webhooks on your own machine, which Topgate could not reach. */
export function addListenCommand(program: Command, deps: ProgramDeps): void {
  withTokenOptions(program.command('listen').description('send events on to an address of yours, as signed webhooks'))
    .requiredOption('--forward-to <address>', 'where to send them, e.g. http://localhost:4000/hook', parseAddress)
    .option('--after <sequence>', 'begin after this event; 0 is the beginning of the feed', parseSequence)
    .addOption(new Option('--since-start', 'begin with what happens from now on (the default)').conflicts('after'))
    .option('--secret <secret>', 'whsec_…: sign with this one (default: a new one, printed at the start)', parseSecret)
    .option('--types <types>', 'only these, e.g. order.success,order.failed', parseTypes)
    .addHelpText(
      'after',
      examples(
        'listen --forward-to http://localhost:4000/hook',
        'listen --forward-to http://localhost:4000/hook --after 0 --types order.success,order.failed',
      ),
    )
    .action((options: ListenOptions) => listen(deps, options));
}

async function listen(deps: ProgramDeps, options: ListenOptions): Promise<void> {
  const { call, output } = openResellerSession(deps, options);
  const signal = deps.interruption();
  const { forwardTo: url, secret = newWebhookSecret(), types } = options;
  const target: ForwardTarget = { url, secret, clock: deps.clock, signal };
  // Asked once, and at once: from then on outages are waited out, and a wrong address or token would never be told.
  const once = { signal, maxRetries: 0 };
  const begin = await call(async ({ events }) => {
    if (options.after === undefined) return events.lastSequence(once);
    await events.list({ after: options.after, limit: 1 }, once);
    return options.after;
  });
  output.note(`Events after number ${begin} go to ${url}, signed with the secret ${secret}\nPress Ctrl-C to end.`);
  let handled = begin;
  await call(async (topgate) => {
    for await (const event of topgate.events.follow({ after: begin, signal })) {
      if (types && !types.includes(event.type)) {
        handled = event.sequence;
        continue;
      }
      if (await forwardPatiently(event, target, output)) handled = event.sequence;
      else if (signal.aborted) break;
      else throw nobodyThere(event, url);
    }
  });
  output.note(`Ended after number ${handled}. To go on from there, add: --after ${handled}`);
}

/** Tries again while nothing answers, so that no event is skipped. Any answer counts: a bad one is the receiver's to mend. */
async function forwardPatiently(event: TopgateEvent, target: ForwardTarget, output: Output): Promise<boolean> {
  for (const waitMs of [...WAITS_MS, null]) {
    const result = await forward(event, target);
    if (result.status === null && target.signal.aborted) return false;
    output.line(recordOf(event, result), () => renderLine(event, result, output));
    if (result.status !== null) return true;
    if (waitMs !== null) await target.clock.sleep(waitMs, target.signal);
    if (target.signal.aborted) return false;
  }
  return false;
}

function recordOf(event: TopgateEvent, { status, reason, durationMs }: Forwarded) {
  const { event_id, type, timestamp, sequence } = event;
  return { event_id, type, timestamp, sequence, ref_id: refOf(event), status, reason, duration_ms: durationMs };
}

function renderLine(event: TopgateEvent, { status, reason, durationMs }: Forwarded, { paint }: Output): string {
  const succeeded = status !== null && status >= 200 && status < 300;
  const cells = [
    paint('quiet', shortTime(event.timestamp)),
    event.type.padEnd(TYPE_WIDTH),
    `#${event.sequence}`,
    refOf(event) ?? '-',
    paint(succeeded ? 'good' : 'bad', status === null ? (reason ?? 'no answer') : String(status)),
    paint('quiet', `${durationMs} ms`),
  ];
  return cells.join('  ');
}

/** Your reference of the order it is about, if it is about one. */
function refOf({ data }: TopgateEvent): string | null {
  return 'ref_id' in data && data.ref_id !== null ? withoutControls(data.ref_id) : null;
}

function nobodyThere({ sequence }: TopgateEvent, url: string): CommandError {
  return new CommandError(
    `Nothing answers at ${url}, so event number ${sequence} waits.\n` +
      `  Start your server, then go on without missing one: add --after ${sequence - 1}`,
  );
}

function parseAddress(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href;
  throw new InvalidArgumentError('Give an address such as http://localhost:4000/hook.');
}

function parseSequence(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give the number of an event, or 0.');
}

function parseSecret(text: string): string {
  if (/^whsec_[A-Za-z0-9+/]+=*$/.test(text)) return text;
  throw new InvalidArgumentError('A webhook secret has the form whsec_<base64>.');
}

function parseTypes(text: string): TopgateEvent['type'][] {
  return text.split(',').map((part) => {
    const type = part.trim();
    if (isType(type)) return type;
    throw new InvalidArgumentError(`There is no type "${type}". The types are ${Object.keys(TYPES).join(', ')}.`);
  });
}

function isType(text: string): text is TopgateEvent['type'] {
  return Object.hasOwn(TYPES, text);
}
