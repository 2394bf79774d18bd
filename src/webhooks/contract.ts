import { z } from 'zod';
import { formatTime } from '../lib/clock.ts';
import { toPublicId } from '../lib/ids.ts';
import { EVENT_TYPES, type FeedEvent } from './event.ts';

export const eventsQuerySchema = z.strictObject({
  after: z.coerce.number().int().min(0).default(0).describe('Events after this sequence number; 0 starts at the beginning.'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

export const eventViewSchema = z
  .object({
    event_id: z.string(),
    type: z.enum(EVENT_TYPES),
    timestamp: z.string().describe('When it happened, ISO 8601 with offset.'),
    sequence: z.int().describe('Rises by exactly one per reseller and mode; a gap means you missed something.'),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' });

export function eventView(event: FeedEvent, timeZone: string): z.infer<typeof eventViewSchema> {
  return {
    event_id: toPublicId('evt_', event.id),
    type: event.type,
    timestamp: formatTime(event.at, timeZone),
    sequence: Number(event.sequence),
    data: event.data,
  };
}
