import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { newRandomId } from '../lib/ids.ts';
import { removeApiProcess, removeOldRates, reportApiProcess, takeTokens } from './rate-store.ts';

describeOnBothEngines('buckets in the database', (open) => {
  const db = () => open().database.db;
  const idsOfBuckets = async () => {
    const { rows } = await sql<{ reseller_id: string }>`select reseller_id from rate_buckets`.execute(db());
    return rows.map(({ reseller_id }) => reseller_id);
  };

  test('a full bucket holds one second of requests, and gives what it has when less is there than wanted', async () => {
    const id = newRandomId();
    const take = async (wanted: number) => (await takeTokens(db(), [{ resellerId: id, wanted }], 100)).get(id)?.granted ?? -1;
    expect(await take(70)).toBe(70);
    const rest = await take(70);
    // Some milliseconds went by, each worth a tenth of a token.
    expect(rest).toBeGreaterThanOrEqual(30);
    expect(rest).toBeLessThan(70);
    expect(await take(500)).toBeLessThan(30);
  });

  test('whatever is wanted, never more is given than a full bucket and what time has added', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 12 }),
        async (perSecond, wants) => {
          const resellerId = newRandomId();
          let given = 0;
          let fullInMs = 0;
          for (const wanted of wants) {
            const grant = (await takeTokens(db(), [{ resellerId, wanted }], perSecond)).get(resellerId);
            expect(grant?.granted).toBeLessThanOrEqual(wanted);
            expect(grant?.granted).toBeGreaterThanOrEqual(0);
            expect(grant?.fullInMs).toBeLessThanOrEqual(1_000);
            given += grant?.granted ?? 0;
            fullInMs = grant?.fullInMs ?? 0;
          }
          // What is missing from the bucket was given; rounding to microseconds loses less than one for each answer.
          expect(given).toBeGreaterThanOrEqual(Math.floor((fullInMs * perSecond) / 1_000));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('many resellers at once, asked for in any order by several at a time, get their tokens without a deadlock', async () => {
    const ids = Array.from({ length: 50 }, () => newRandomId());
    const rounds = Array.from({ length: 20 }, (_, round) => (round % 2 === 0 ? ids : ids.toReversed()));
    const answers = await Promise.all(
      rounds.map((round) =>
        takeTokens(
          db(),
          round.map((resellerId) => ({ resellerId, wanted: 1 })),
          1_000,
        ),
      ),
    );
    expect(answers.map((answer) => answer.size)).toEqual(rounds.map(() => 50));
  });

  test('buckets that are full are removed, and say the same when they are gone', async () => {
    const [full, used] = [newRandomId(), newRandomId()];
    await takeTokens(db(), [{ resellerId: full, wanted: 1 }], 1_000_000);
    await takeTokens(db(), [{ resellerId: used, wanted: 1 }], 1);
    await removeOldRates(db(), 10_000);
    const kept = await idsOfBuckets();
    expect([kept.includes(full), kept.includes(used)]).toEqual([false, true]);
    expect((await takeTokens(db(), [{ resellerId: full, wanted: 7 }], 7)).get(full)?.granted).toBe(7);
    expect((await takeTokens(db(), [{ resellerId: used, wanted: 1 }], 1)).get(used)?.granted).toBe(0);
  });

  test('a process sees how many others reported lately, until they leave', async () => {
    const [one, two] = [newRandomId(), newRandomId()];
    expect(await reportApiProcess(db(), one, 60)).toBe(0);
    expect(await reportApiProcess(db(), two, 60)).toBe(1);
    expect(await reportApiProcess(db(), one, 60)).toBe(1);
    // Seen no second ago: nobody.
    expect(await reportApiProcess(db(), one, 0)).toBe(0);
    await removeApiProcess(db(), two);
    expect(await reportApiProcess(db(), one, 60)).toBe(0);
  });
});
