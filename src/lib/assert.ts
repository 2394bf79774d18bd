/**
 * Stops the current operation when something that must be true is not: a bug, never a user's mistake.
 * Assertions stay on in production, because going on with broken money is worse than a failed request.
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`);
}

/** Makes a `switch` over a union exhaustive: adding a member without handling it no longer compiles. */
export function unreachable(value: never): never {
  throw new Error(`Invariant broken: unexpected value ${JSON.stringify(value)}`);
}

/** The element that must be there; use it where an index was just proved to be inside the array. */
export function required<T>(value: T | null | undefined, what: string): T {
  invariant(value !== null && value !== undefined, `${what} is missing`);
  return value;
}
