/** What the load generator is asked to do, and what it answers. */
export interface LoadTask {
  /** The processes that share the load; connections are dealt out to them in turn. */
  ports: number[];
  connections: number;
  arrivals: Arrivals;
  requests: Requests;
}

export type Arrivals =
  /**
   * A closed loop: each connection sends its next request when the last one is answered, so the load adapts to what is measured.
   * It finds the highest rate, and a latency at that rate; not what users who arrive on their own would wait.
   */
  | { kind: 'closed'; warmUpMs: number; measureMs: number; limit: number | null; pauseMs: number }
  /**
   * An open loop: requests have a time that is fixed before the first is sent, and latency counts from that time. Whoever would
   * have waited in front of a slow server is counted as waiting, which a closed loop leaves out.
   */
  | { kind: 'open'; warmUpMs: number; measureMs: number; perSecond: number };

export type Requests =
  | {
      kind: 'orders';
      resellers: Credentials[];
      choice: 'even' | 'zipf';
      /** Begins every `ref_id`; with the number behind it, it decides who orders what. */
      prefix: string;
      /** Signed before the clock runs; those beyond are signed while it does. */
      prepare: number;
      /** Only the first so many, again and again: replays of orders that are known. Null: each is new. */
      replaysOf: number | null;
    }
  | { kind: 'reads'; token: string; paths: string[]; etag: string | null; status: number };

export interface Credentials {
  token: string;
  secret: string;
}

export interface LoadReport {
  /** Every right answer, warm-up and stragglers included: what must be found in the database afterwards. */
  accepted: number;
  /** The same by process, in the order of the ports. */
  acceptedByPort: number[];
  /** Right answers inside the measured window. */
  measured: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** From the first request to the last answer. */
  totalSeconds: number;
  /** CPU time of the generator for each answer, all of the run. */
  clientMicros: number;
  /** How much of one core the generator used; near 1, it was the generator that was measured. */
  clientCpu: number;
  /** Answers that were parsed as a whole, beyond their status, their success and their reference. */
  parsed: number;
  /** Answers that were not what they had to be. */
  wrong: number;
  firstWrong: string | null;
  open: OpenReport | null;
}

/** How well an open loop kept its schedule. */
export interface OpenReport {
  offeredPerSecond: number;
  /** Requests that found all connections busy at their time, and waited for one; their latency counts that wait. */
  overruns: number;
  /** Requests that could not be sent at all before the run was given up. */
  unsent: number;
  /** How late the generator itself sent requests that had a free connection: part of the latency, and its error. */
  latenessP99Ms: number;
}
