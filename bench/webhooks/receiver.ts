import { startChild } from '../system/child.ts';
import type { Received, ReceiverCommand } from './receiver-process.ts';

/** The receiver of webhooks, as the benchmark asks it. */
export interface Receiver {
  /** One for each endpoint. */
  urls: string[];
  begin(hanging: number[]): Promise<void>;
  /** Resolves with the time at which so many different webhooks had been received. */
  untilReceived(distinct: number): Promise<number>;
  end(): Promise<Received>;
  stop(): Promise<void>;
}

export async function startReceiver(endpoints: number): Promise<Receiver> {
  const child = startChild('webhooks/receiver-process.ts');
  const ask = <Answer>(command: ReceiverCommand) => child.ask<Answer>(command);
  const ports = await ask<number[]>({ kind: 'open', endpoints });
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/hook`),
    begin: (hanging) => ask({ kind: 'begin', hanging }),
    untilReceived: (distinct) => ask({ kind: 'await', distinct }),
    end: () => ask({ kind: 'end' }),
    stop: () => child.stop(),
  };
}
