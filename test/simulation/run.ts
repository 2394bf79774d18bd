import { parseArgs } from 'node:util';
import { WorldEngine } from './engine.ts';
import { runWorld, type WorldReport } from './live.ts';
import { Tally } from './tally.ts';

const USAGE = `Simulates an installation for some days on a virtual clock, with everything that can go wrong.

  npm run simulate:world -- --seed 7 --days 1      one world
  npm run simulate:world -- --seed 1 --seeds 100   a hundred of them, up to the first that breaks a rule
  npm run soak                                     worlds with fresh seeds until it is stopped or one breaks a rule`;

const FRESH_SEEDS = 1_000_000_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    days: { type: 'string', default: '1' },
    soak: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function tell(seed: number, { orders, hours, tally, statements, digest }: WorldReport, cpuMs: number): void {
  const deaths = tally.of('process: killed') + tally.of('process: killed at its work');
  const faults = [...tally.counts]
    .filter(([what]) => /^(supplier|database): /.test(what))
    .reduce((sum, [, times]) => sum + times, 0);
  say(
    `seed ${seed}: ${orders} orders in ${hours.toFixed(0)} h, ${tally.of('orders: Success')} delivered, ` +
      `${tally.of('orders: Failed')} failed, ${tally.of('orders: Refunded')} taken back, ${tally.of('orders: Process')} in review, ` +
      `${faults} faults, ${deaths} deaths, ${statements} statements, ${(cpuMs / 1000).toFixed(1)} s of CPU, digest ${digest}`,
  );
}

/** Says what is wrong, with the story of the order and how to see it again. */
function tellBroken(seed: number, days: number, { violations, story }: WorldReport): void {
  say('');
  for (const { rule, orderId, what } of violations.slice(0, 10))
    say(`BROKEN: ${rule}: ${what}${orderId === null ? '' : ` (${orderId})`}`);
  for (const line of story) say(`  ${line}`);
  say('');
  say(`Again: npm run simulate:world -- --seed ${seed} --days ${days}`);
}

async function run(): Promise<number> {
  if (values.help) {
    say(USAGE);
    return 0;
  }
  const days = Number(values.days);
  const first = values.seed === undefined ? Math.floor(Math.random() * FRESH_SEEDS) : Number(values.seed);
  const last = values.soak ? Number.POSITIVE_INFINITY : first + Number(values.seeds) - 1;
  const engine = await WorldEngine.open();
  const total = new Tally();
  const [startedAt, startedCpu] = [performance.now(), process.cpuUsage()];
  const cpuMs = (since: NodeJS.CpuUsage) => {
    const { user, system } = process.cpuUsage(since);
    return (user + system) / 1000;
  };
  let [orders, hours, worlds] = [0, 0, 0];
  for (let seed = first; seed <= last; seed++) {
    const before = process.cpuUsage();
    const report = await runWorld(engine, { seed, days });
    tell(seed, report, cpuMs(before));
    total.add(report.tally);
    [orders, hours, worlds] = [orders + report.orders, hours + report.hours, worlds + 1];
    if (report.violations.length === 0) continue;
    tellBroken(seed, days, report);
    return 1;
  }
  const [seconds, cpuSeconds] = [(performance.now() - startedAt) / 1000, cpuMs(startedCpu) / 1000];
  say(`Met: ${total}`);
  say(
    `${worlds} worlds without a broken rule: ${orders} orders and ${hours.toFixed(0)} hours in ${seconds.toFixed(0)} s ` +
      `(${cpuSeconds.toFixed(0)} s of CPU): ${(orders / cpuSeconds).toFixed(1)} orders and ${(hours / cpuSeconds).toFixed(1)} hours per second of CPU`,
  );
  return 0;
}

process.exit(await run());
