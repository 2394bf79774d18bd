import type { Connection, SupplierRegistry } from '../connections/index.ts';
import type { Db } from '../db/database.ts';
import { createAllowList } from '../lib/allow-list.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { CallbackMessage, CallbackReading } from '../suppliers/index.ts';
import { dayOf, digestOf, isKey, keepHeaders, keepText } from './callback.ts';
import { FloodGate } from './flood-gate.ts';
import { saveCallback } from './store.ts';

/** A message at the address `/callback/{supplierCode}/{key}`. */
export interface IncomingCallback extends CallbackMessage {
  supplierCode: string;
  key: string;
  /** The query as it was sent. */
  rawQuery: string;
  remoteAddress: string;
}

/** How the sender is answered. */
export type Receipt =
  /** On disk; `answer` is what this kind of supplier wants to read. */
  | { kind: 'taken'; answer: string }
  /** No such address: nobody learns which suppliers there are. */
  | { kind: 'no_address' }
  | { kind: 'refused_address' }
  | { kind: 'flood' }
  | { kind: 'forged' }
  | { kind: 'unreadable' };

export type CallbackOutcome = CallbackReading['kind'] | 'refused_address' | 'flood';

/** How many messages came of what became of them, since the start, by supplier. */
export type CallbackTotals = Readonly<Record<string, Readonly<Partial<Record<CallbackOutcome, number>>>>>;

export interface CallbackDesk {
  receive(message: IncomingCallback): Promise<Receipt>;
  readonly totals: CallbackTotals;
}

const DEFAULT_ANSWER = '{"status":true}';

/** Takes messages of suppliers. A hint is on disk before its sender is answered, and is worked off after that. */
export function openCallbackDesk(deps: {
  db: Db;
  clock: Clock;
  registry: Pick<SupplierRegistry, 'codes' | 'connection'>;
  /** Called when a hint waits to be worked off. */
  wake: () => void;
}): CallbackDesk {
  const gate = new FloodGate(deps.clock);
  const totals: Record<string, Partial<Record<CallbackOutcome, number>>> = {};
  const count = (supplierCode: string, outcome: CallbackOutcome) => {
    totals[supplierCode] ??= {};
    totals[supplierCode][outcome] = (totals[supplierCode][outcome] ?? 0) + 1;
  };

  const receive = async (message: IncomingCallback): Promise<Receipt> => {
    const connection = findConnection(deps.registry, message);
    if (connection === null) return { kind: 'no_address' };
    const { code, settings, kind } = connection;
    if (!createAllowList(settings.callbackAddresses)(message.remoteAddress)) {
      count(code, 'refused_address');
      return { kind: 'refused_address' };
    }
    if (!gate.admits(code)) {
      count(code, 'flood');
      return { kind: 'flood' };
    }
    const { method, headers, query, rawBody } = message;
    const reading = connection.readCallback({ method, headers, query, rawBody });
    if (reading === null) return { kind: 'no_address' };
    count(code, reading.kind);
    await store(deps, connection, message, reading);
    if (reading.kind === 'forged' || reading.kind === 'unreadable') return { kind: reading.kind };
    if (reading.kind === 'hint') deps.wake();
    return { kind: 'taken', answer: kind.callbackAnswer ?? DEFAULT_ANSWER };
  };

  return { receive, totals };
}

/** The supplier whose address it is; a wrong key is answered as a supplier that is not there. */
function findConnection(
  registry: Pick<SupplierRegistry, 'codes' | 'connection'>,
  { supplierCode, key }: IncomingCallback,
): Connection | null {
  const connection = registry.codes().includes(supplierCode) ? registry.connection(supplierCode) : null;
  return isKey(key, connection?.callbackKey ?? null) ? connection : null;
}

/** Some messages carry our secret in clear: Digiflazz's test of the address does. It is masked before it is on a disk. */
function withoutSecrets(connection: Connection, rawBody: Buffer): Buffer {
  const text = rawBody.toString('utf8');
  const masked = connection.redact(text);
  return masked === text ? rawBody : Buffer.from(masked);
}

async function store(
  { db, clock }: { db: Db; clock: Clock },
  connection: Connection,
  message: IncomingCallback,
  reading: CallbackReading,
): Promise<void> {
  const now = clock.now();
  const hint = reading.kind === 'hint' ? reading : null;
  const keep = (text: string | null) => (text === null ? null : keepText(text));
  await saveCallback(db, {
    id: newId(now),
    supplierCode: connection.code,
    day: dayOf(now),
    digest: digestOf({ reading: reading.kind, method: message.method, query: message.rawQuery, rawBody: message.rawBody }),
    method: message.method,
    // Some suppliers sign in the query.
    query: connection.redact(message.rawQuery),
    body: withoutSecrets(connection, message.rawBody),
    headers: keepHeaders(message.headers),
    remoteAddress: message.remoteAddress,
    reading: reading.kind,
    reason: 'reason' in reading ? keepText(reading.reason) : null,
    status: keep(hint?.status ?? null),
    reference: keep(hint?.reference ?? null),
    supplierReference: keep(hint?.supplierReference ?? null),
    state: hint ? 'Received' : null,
    at: now,
  });
}
