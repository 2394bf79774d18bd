import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const undo: (() => Promise<unknown> | unknown)[] = [];

/** Has something undone at the end of the run, however it ends. What was begun last is undone first. */
export function atEnd(action: () => Promise<unknown> | unknown): void {
  undo.push(action);
}

let ending = false;

/** Whether the run is being ended from outside: what fails from now on fails for that reason. */
export function isEnding(): boolean {
  return ending;
}

/** Undoes everything that is still to be undone. What fails is told, and does not keep the rest from being undone. */
export async function cleanUp(): Promise<void> {
  ending = true;
  for (let action = undo.pop(); action !== undefined; action = undo.pop()) {
    try {
      await action();
    } catch (error) {
      console.error('Cleaning up failed:', error);
    }
  }
}

/**
 * Puts every temporary file of this process and its children into one folder, which is removed at the end. It must be on a
 * disk: in memory nothing would be durable, and the rates would be of something else.
 */
export function claimFolder(): void {
  const TMPFS = 0x01021994;
  if (fs.statfsSync(os.tmpdir()).type === TMPFS)
    throw new Error(`${os.tmpdir()} is in memory, so nothing would be durable. Set TMPDIR to a folder on a disk.`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-bench-'));
  // PostgreSQL refuses to run as root and is run as another user then, who must be able to enter.
  fs.chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  atEnd(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}
