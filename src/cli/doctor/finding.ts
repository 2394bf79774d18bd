/** `skipped`: could not be looked at now, which is neither good nor bad. */
export type Level = 'ok' | 'warning' | 'problem' | 'skipped';

/** One thing that was examined. */
export interface Finding {
  level: Level;
  name: string;
  text: string;
  /** What to do about it; null when nothing is to be done. */
  advice: string | null;
}

export function ok(name: string, text: string): Finding {
  return { level: 'ok', name, text, advice: null };
}

export function warning(name: string, text: string, advice: string): Finding {
  return { level: 'warning', name, text, advice };
}

export function problem(name: string, text: string, advice: string | null): Finding {
  return { level: 'problem', name, text, advice };
}

export function skipped(name: string, text: string): Finding {
  return { level: 'skipped', name, text, advice: null };
}
