import { optionalField } from './config-field.ts';
import type { ConfigField } from './supplier.ts';

/** The code under which a supplier looks up players of a game, by the code of our product. */
export type LookupGames = Readonly<Record<string, string>>;

const PAIR = /^\s*([A-Za-z0-9_.-]+)\s*=\s*([^\s,=]+)\s*$/;

/** For kinds with a lookup: installations name their products as they like, and suppliers add games. */
export const lookupGamesField: ConfigField = optionalField({
  key: 'lookup_games',
  label: 'Games of the nickname lookup',
  help: "Our product code and the supplier's code of the game, with commas between: MLBB=103,FF=135. Added to those that are built in.",
  form: {
    pattern: /^\s*[A-Za-z0-9_.-]+\s*=\s*[^\s,=]+\s*(,\s*[A-Za-z0-9_.-]+\s*=\s*[^\s,=]+\s*)*$/,
    message: 'must be pairs such as MLBB=103 with commas between',
  },
});

/** The pairs of the field; what is no pair is left out, as the form has refused it before. */
export function readLookupGames(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').map((pair) => PAIR.exec(pair));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', pair[2] ?? ''] as const] : [])));
}

/** The supplier's code for a product: the operator's word before the one that is built in; null where neither has one. */
export function findLookupGame(productCode: string, builtIn: LookupGames, configured: LookupGames): string | null {
  for (const games of [configured, builtIn]) if (Object.hasOwn(games, productCode)) return games[productCode] ?? null;
  return null;
}
