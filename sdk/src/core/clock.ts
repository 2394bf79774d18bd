/** Where waits between tries and polls get their time from; tests bring their own. */
export interface Clock {
  now(): Date;
  /** Resolves after `durationMs`, or at once (without an error) when the signal aborts. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (durationMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, durationMs);
      signal?.addEventListener('abort', end, { once: true });
    }),
};
