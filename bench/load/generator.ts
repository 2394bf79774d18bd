import { obey } from '../system/child.ts';
import { runClosedLoop } from './closed-loop.ts';
import { openConnection } from './connection.ts';
import { runOpenLoop } from './open-loop.ts';
import { openRequests } from './requests.ts';
import type { LoadReport, LoadTask } from './task.ts';

/** The load generator: a process of its own, so that signing and reading answers do not take the server's thread. */
obey<LoadTask>(async ({ ports, connections: count, arrivals, requests }): Promise<LoadReport> => {
  const source = openRequests(requests);
  // A connection that breaks ends the process: every answer after it would be missing, and the run is void.
  const failed = (error: Error) => {
    throw error;
  };
  const connections = await Promise.all(Array.from({ length: count }, (_, index) => openConnection(ports, index, failed)));
  const report =
    arrivals.kind === 'closed'
      ? await runClosedLoop(connections, source, arrivals, ports.length)
      : await runOpenLoop(connections, source, arrivals, ports.length);
  for (const connection of connections) connection.close();
  return report;
});
