import { readJson, type SupplierCall, type WireAnswer, WireError } from './wire.ts';

export function postJson(call: SupplierCall, url: string, body: object): Promise<WireAnswer> {
  return call.send({ method: 'POST', url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}

export function getWithQuery(call: SupplierCall, url: string, query: Record<string, string>): Promise<WireAnswer> {
  return call.send({ method: 'GET', url: `${url}?${new URLSearchParams(query)}` });
}

/** For suppliers that want every HTTP error taken for "not known yet", whatever stands in it. */
export function readJsonOfSuccess(answer: WireAnswer): unknown {
  if (answer.status < 200 || answer.status > 299) throw new WireError(`HTTP ${answer.status}`, { neverLeft: false });
  return readJson(answer);
}

/** An answer about somebody else's purchase is none, however definite it is. */
export function refuseForeignAnswer(told: string | null | undefined, reference: string): void {
  if (told && told !== reference) throw new Error(`The answer is about ${told}, not about ${reference}.`);
}
