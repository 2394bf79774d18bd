import { median } from '../load/numbers.ts';

/** One measurement of one setting. */
export interface Sample {
  setting: string;
  value: number;
  details: Details;
}

/** More of a measurement, by the heading of its column. */
export type Details = Record<string, number | string | null>;

/** One line of a case's table: the median of all rounds. */
export interface Figure {
  subject: string;
  setting: string;
  unit: string;
  value: number;
  /** The value of each round, in their order: the spread. */
  rounds: number[];
  isBaseline: boolean;
  /** To the best baseline of the case; null where there is none. */
  ratio: number | null;
  details: Details;
}

/** One of the programs that are compared: measured once, it answers a sample for each setting it was tried with. */
export interface Side {
  subject: string;
  isBaseline: boolean;
  measure(): Promise<Sample[]>;
}

/**
 * Measures all sides in turn, again and again (A B A B), so that what else happens on the machine meets all of them; the
 * medians of the rounds are compared.
 */
export async function alternate(
  context: { rounds: number; step(text: string): void },
  unit: string,
  sides: Side[],
): Promise<Figure[]> {
  const samples = new Map<Side, Sample[][]>();
  for (let round = 1; round <= context.rounds; round++) {
    for (const side of sides) {
      context.step(`${side.subject}${context.rounds > 1 ? ` (${round} of ${context.rounds})` : ''}`);
      samples.set(side, [...(samples.get(side) ?? []), await side.measure()]);
    }
  }
  return compare(sides.flatMap((side) => toFigures(side, unit, samples.get(side) ?? [])));
}

function toFigures({ subject, isBaseline }: Side, unit: string, rounds: Sample[][]): Figure[] {
  return (rounds[0] ?? []).map(({ setting, details }, index) => {
    const all = rounds.flatMap((round) => round[index] ?? []);
    const headings = Object.keys(details);
    return {
      subject,
      setting,
      unit,
      value: median(all.map(({ value }) => value)),
      rounds: all.map(({ value }) => value),
      isBaseline,
      ratio: null,
      details: Object.fromEntries(headings.map((heading) => [heading, middle(all.map((sample) => sample.details[heading]))])),
    };
  });
}

/** The median of numbers; of anything else the first. */
function middle(values: (Details[string] | undefined)[]): Details[string] {
  const numbers = values.filter((value): value is number => typeof value === 'number');
  return numbers.length > 0 ? median(numbers) : (values[0] ?? null);
}

function compare(figures: Figure[]): Figure[] {
  const baselines = figures.filter(({ isBaseline }) => isBaseline);
  if (baselines.length === 0) return figures;
  const best = Math.max(...baselines.map(({ value }) => value));
  return figures.map((figure) => ({ ...figure, ratio: figure.value / best }));
}

/** The highest rate of a subject over all settings it was tried with. */
export function best(figures: Figure[], subject: string): Figure {
  const found = figures.filter((figure) => figure.subject === subject).toSorted((left, right) => right.value - left.value)[0];
  if (!found) throw new Error(`Nothing was measured of ${subject}.`);
  return found;
}
