import type { LoadReport, LoadTask } from './load/task.ts';
import type { Figure } from './report/figures.ts';
import type { Installations } from './system/installations.ts';
import type { Machine } from './system/machine.ts';
import type { BenchPostgres } from './system/postgres.ts';
import type { Measured, TargetId } from './targets.ts';

/** One file of `cases/`: what is measured, against what, and how it is judged. */
export interface BenchCase {
  /** For the command line; the same as the file's name. */
  name: string;
  title: string;
  /** Only with --full or by name: it takes long, or no target hangs on it. */
  isLong: boolean;
  /** About how many seconds it takes, for the line that says how long the run still lasts. */
  estimate(plan: Plan): number;
  run(context: Context): Promise<Outcome>;
}

export interface Plan {
  /** How long each single measurement lasts, after its warm-up. */
  seconds: number;
  /** How often a case and its baselines are measured in turn; medians count. */
  rounds: number;
  /** Everything as long as the targets say. */
  isFull: boolean;
}

export interface Context extends Plan {
  machine: Machine;
  postgres: BenchPostgres;
  installations: Installations;
  /** Has the load generator, a process of its own, send a load; throws unless every answer was right. */
  load(task: LoadTask): Promise<LoadReport>;
  /** Says what is being done now. */
  step(text: string): void;
}

export interface Outcome {
  figures: Figure[];
  measured: Partial<Record<TargetId, Measured>>;
  /** What a reader of the figures has to know. */
  notes: string[];
}

/** Unmeasured seconds before each measurement, so that caches and the JIT are warm. */
export const WARM_UP_MS = 1_000;
export const CONNECTIONS = [16, 64, 256];
