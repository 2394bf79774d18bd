/** Work that is due at times of the day, not because of an order. It may run twice, and a run that fails is made up by the next. */
export interface Job {
  name: string;
  /** When, in the installation's time zone: minute, hour, day, month, weekday. */
  cron: string;
  /** Answers what was done, for the log. */
  run(): Promise<Record<string, unknown>>;
}

/** A job as an operator sees it. */
export interface JobState {
  name: string;
  cron: string;
  /** The run that began last, of those of the last week; null when there was none. */
  lastRun: { state: 'active' | 'completed' | 'failed'; startedAt: Date; endedAt: Date | null } | null;
}

/** What became of the runs in this process since its start. */
export type JobTotals = Readonly<Record<string, { succeeded: number; failed: number }>>;
