import type { BenchCase, Plan } from '../case.ts';

/** Tells a waiting person, line by line, what is being done and how long it will still take. */
export interface Progress {
  begin(benchCase: BenchCase): void;
  step(text: string): void;
}

export function openProgress(cases: BenchCase[], plan: Plan): Progress {
  const startedAt = performance.now();
  let index = -1;
  let caseStartedAt = startedAt;
  return {
    begin(benchCase) {
      index = cases.indexOf(benchCase);
      caseStartedAt = performance.now();
      console.log(`\n${benchCase.title} (${benchCase.name}, ${index + 1} of ${cases.length})`);
    },
    step(text) {
      const current = (cases[index]?.estimate(plan) ?? 0) - (performance.now() - caseStartedAt) / 1_000;
      const later = cases.slice(index + 1).reduce((total, benchCase) => total + benchCase.estimate(plan), 0);
      const elapsed = clock((performance.now() - startedAt) / 1_000);
      console.log(`  ${elapsed}  ${text}  (about ${clock(Math.max(0, current) + later)} left)`);
    },
  };
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}
