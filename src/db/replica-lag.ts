/** A position in the write-ahead log, in bytes from its beginning. */
export type LogPosition = bigint;

/** Where the primary's log stood at a moment of this process's clock, taken before it was asked. */
export interface Mark {
  atMs: number;
  written: LogPosition;
}

/**
 * The moment up to which a replica has everything that was committed, or null when that is longer ago than the marks go back.
 * Positions are compared instead of times: an idle primary writes nothing, so the time of the last replayed commit grows old
 * although nothing is missing, and a replica that lost its connection has replayed all it received although much is missing.
 */
export function completeUntil(marks: readonly Mark[], replayed: LogPosition): number | null {
  const reached = marks.filter(({ written }) => written <= replayed).map(({ atMs }) => atMs);
  return reached.length === 0 ? null : Math.max(...reached);
}
