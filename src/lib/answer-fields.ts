import { z } from 'zod';

/** A time in an answer, as `formatTime` writes it. */
export const timeField = z.string().meta({ format: 'date-time', examples: ['2026-03-01T02:40:15+07:00'] });

/** An id in an answer, as `toPublicId` writes it; `characters` are those of its example. */
export function idField(prefix: string, characters: string) {
  return z.string().meta({ pattern: `^${prefix}[0-9A-HJKMNP-TV-Z]{26}$`, examples: [prefix + characters] });
}

/** The code of the installation's currency. */
export const currencyField = z.string().meta({ pattern: '^[A-Z]{3}$', examples: ['IDR'] });
