import type { Reporter, TestModule } from 'vitest/node';

/** Ends the output with one line that people and machines read alike: `406 passed, 0 failed`. */
// biome-ignore lint/style/noDefaultExport: the runner takes a reporter from the default export.
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const results = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state);
    const count = (state: string) => results.filter((result) => result === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandledErrors.length;
    const skipped = count('skipped') + count('pending');
    console.log(`${count('passed')} passed, ${count('failed') + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  }
}
