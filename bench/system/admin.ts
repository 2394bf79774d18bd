/** Requests to a running Topgate that are not measured: they set a case up, or look at what it left. */
const REQUEST_LIMIT_MS = 900_000;

export interface Answer<Data> {
  data: Data;
  message: string;
  pagination?: { next_cursor: string | null };
}

/** Asks, and throws unless the answer is 200. */
export async function ask<Data>(
  port: number,
  token: string,
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  body?: unknown,
): Promise<Answer<Data>> {
  const response = await fetch(`http://127.0.0.1:${port}${url}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
  });
  const answer = (await response.json()) as Answer<Data>;
  if (response.status !== 200) throw new Error(`${method} ${url} was answered ${response.status}: ${answer.message}`);
  return answer;
}

/** Everything of a paged list, page by page. */
export async function askAll<Item>(port: number, token: string, url: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Answer<Item[]> = await ask(port, token, 'GET', cursor === '' ? url : `${url}&cursor=${cursor}`);
    items.push(...page.data);
    cursor = page.pagination?.next_cursor ?? null;
  }
  return items;
}
