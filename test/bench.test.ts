import { describe, expect, test } from 'vitest';
import { grows } from '../bench/cases/life.ts';
import { readAnswer } from '../bench/load/connection.ts';
import { arrivalTimes, median, quantile, seededRandom, zipf } from '../bench/load/numbers.ts';
import { openRequests } from '../bench/load/requests.ts';
import { readOptions, UsageError } from '../bench/options.ts';
import { alternate } from '../bench/report/figures.ts';

describe('the numbers of the benchmark', () => {
  test.each([
    [[1], 0.99, 1],
    [[1, 2, 3, 4], 0.5, 3],
    [[1, 2, 3, 4], 1, 4],
    [[], 0.5, 0],
  ])('the quantile of %j at %d is %d', (sorted, share, expected) => {
    expect(quantile(sorted, share)).toBe(expected);
  });

  test('the median of an even number of rounds lies between the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([3, 1, 2])).toBe(2);
  });

  test('a schedule is the same in every run, in order, and has the rate that was asked for', () => {
    const times = arrivalTimes(2_000, 10_000);
    expect(times).toEqual(arrivalTimes(2_000, 10_000));
    expect(times).toEqual(times.toSorted());
    expect(times.length / 10).toBeGreaterThan(1_900);
    expect(times.length / 10).toBeLessThan(2_100);
  });

  test('arrivals come in bursts: as many gaps are shorter than half the mean as chance makes them', () => {
    const times = arrivalTimes(1_000, 20_000);
    const short = times.filter((time, index) => index > 0 && time - (times[index - 1] ?? 0) < 0.5).length;
    expect(short / times.length).toBeCloseTo(1 - Math.exp(-0.5), 1);
  });

  test('by Zipf, the first of 10,000 is drawn twice as often as the second, and all are in reach', () => {
    const draw = zipf(10_000, seededRandom(1));
    const drawn = Array.from({ length: 100_000 }, draw);
    const count = (rank: number) => drawn.filter((found) => found === rank).length;
    expect(count(0) / count(1)).toBeGreaterThan(1.8);
    expect(count(0) / count(1)).toBeLessThan(2.2);
    expect(Math.max(...drawn)).toBeLessThan(10_000);
    expect(drawn.some((rank) => rank > 9_000)).toBe(true);
  });

  test.each([
    ['empty all the time', [0, 0, 0, 0, 0, 0], false],
    ['up and down', [120, 40, 300, 10, 200, 90], false],
    ['a little more each time', [500, 1_000, 1_500, 2_000, 2_500, 3_000], true],
  ])('a backlog that is %s', (_name, backlog, expected) => {
    expect(grows(backlog, 500)).toBe(expected);
  });
});

describe('the load generator', () => {
  test('reads an answer only when all of it is there', () => {
    const text = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{"a":';
    expect(readAnswer(text.slice(0, 20))).toBeNull();
    expect(readAnswer(text.slice(0, -1))).toBeNull();
    expect(readAnswer(text)).toMatchObject({ status: 200, bodyAt: text.length - 5 });
    expect(readAnswer('HTTP/1.1 304 Not Modified\r\netag: "x"\r\n\r\n')).toMatchObject({ status: 304 });
    expect(() => readAnswer(`${text}}`)).toThrow('Two answers');
  });

  test('writes the same request for the same number, whether it was prepared or not', () => {
    const resellers = [
      { token: 'one', secret: 'first' },
      { token: 'two', secret: 'second' },
    ];
    const plan = { kind: 'orders', resellers, choice: 'zipf', prefix: 'T-1', replaysOf: null } as const;
    const [prepared, written] = [10, 0].map((prepare) => openRequests({ ...plan, prepare }));
    const texts = Array.from({ length: 10 }, (_, number) => prepared?.text(number));
    expect(texts).toEqual(Array.from({ length: 10 }, (_, number) => written?.text(number)));
    expect(new Set(texts).size).toBe(10);
  });

  test('counts an answer to another order as wrong', () => {
    const resellers = [{ token: 'one', secret: 'first' }];
    const plan = { kind: 'orders', resellers, choice: 'even', prefix: 'T-1', prepare: 0, replaysOf: null } as const;
    const source = openRequests(plan);
    const text = 'HTTP/1.1 200 OK\r\n\r\n{"success":true,"data":{"ref_id":"T-1-4"}}';
    expect(source.isRight(4, { status: 200, text, bodyAt: 19 })).toBe(true);
    expect(source.isRight(5, { status: 200, text, bodyAt: 19 })).toBe(false);
    expect(source.isRight(4, { status: 409, text, bodyAt: 19 })).toBe(false);
  });
});

test('sides are measured in turn, and compared by medians with the best baseline', async () => {
  const order: string[] = [];
  const side = (subject: string, isBaseline: boolean, values: number[]) => ({
    subject,
    isBaseline,
    async measure() {
      order.push(subject);
      return [{ setting: '', value: values.shift() ?? 0, details: {} }];
    },
  });
  const sides = [side('slow', true, [10, 20, 10]), side('fast', true, [100, 100, 300]), side('ours', false, [50, 400, 200])];
  const figures = await alternate({ rounds: 3, step: () => undefined }, 'orders/s', sides);
  expect(order).toEqual(['slow', 'fast', 'ours', 'slow', 'fast', 'ours', 'slow', 'fast', 'ours']);
  expect(figures.map(({ ratio }) => ratio)).toEqual([0.1, 1, 2]);
});

describe('the command line of the benchmark', () => {
  test('the standard run needs no words', () => {
    expect(readOptions([])).toMatchObject({ action: 'run', isFull: false, only: null, compareWith: null });
  });

  test('takes cases by name', () => {
    expect(readOptions(['--only', 'idle, life', '--seconds', '9'])).toMatchObject({ only: ['idle', 'life'], seconds: 9 });
  });

  test.each([[['--seconds', '0']], [['--rounds', 'many']], [['--what']]])('refuses %j with the usage', (words) => {
    expect(() => readOptions(words)).toThrow(UsageError);
  });
});
