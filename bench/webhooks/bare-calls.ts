import type { Sample, Side } from '../report/figures.ts';
import { startChild } from '../system/child.ts';
import { connectionsText } from '../system/topgate.ts';
import { expectEqual } from '../system/verify.ts';
import type { BareReport, BareTask } from './bare-calls-process.ts';
import { startReceiver } from './receiver.ts';
import { type Round, runBacklogRounds, runIdleRounds, verifySignatures } from './rounds.ts';

/** The calls alone: signed bodies of the same size, posted by a program without a database. `calls` 1: one after the other. */
export function bareCalls(options: { endpoints: number; connections: number; calls: number }): Side {
  const each = `${connectionsText(options.connections)}${options.endpoints === 1 ? '' : ' each'}`;
  return {
    subject: 'bare calls, no database',
    isBaseline: true,
    measure: async () => [{ ...(await measure(options, each)), setting: each }],
  };
}

async function measure(
  { endpoints, connections, calls }: { endpoints: number; connections: number; calls: number },
  setting: string,
): Promise<Sample> {
  const receiver = await startReceiver(endpoints);
  const caller = startChild('webhooks/bare-calls-process.ts');
  const runRound = async (): Promise<Round> => {
    await receiver.begin([]);
    const task: BareTask = { urls: receiver.urls, calls, connections };
    const { startedAt, secrets } = await caller.ask<BareReport>(task);
    const receivedAt = await receiver.untilReceived(calls);
    const received = await receiver.end();
    expectEqual('bare calls received', received.calls, calls);
    verifySignatures(received, secrets);
    return { startedAt, receivedAt, recordedAt: null, received };
  };
  try {
    return await (calls === 1 ? runIdleRounds(runRound) : runBacklogRounds(setting, runRound));
  } finally {
    await caller.stop();
    await receiver.stop();
  }
}
