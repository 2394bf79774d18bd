import { fromPublicId } from '../../lib/ids.ts';
import type { Reseller } from '../answers.ts';
import type { Client } from '../client.ts';
import { CommandError } from '../errors.ts';

const PAGE = 200;

/** The reseller that an operator names by id (`rs_…`) or by username. */
export async function findReseller(client: Client, name: string): Promise<Reseller> {
  if (fromPublicId('rs_', name) !== null) return (await client.get<Reseller>(`/admin/api/reseller/${name}`)).data;
  let cursor: string | undefined;
  do {
    // The search finds the text anywhere in a name or username; only the exact username is meant.
    const page = await client.get<Reseller[]>('/admin/api/reseller', { search: name, limit: PAGE, cursor });
    const found = page.data.find(({ username }) => username === name);
    if (found) return found;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  throw new CommandError(`There is no reseller "${name}". "topgate reseller list" shows all.`);
}
