import { LRUCache } from 'lru-cache';
import type { Db } from '../db/database.ts';
import type { RevisionWatch } from '../db/revisions.ts';
import type { Caller } from '../http/caller.ts';
import { findAccount } from '../ledger/index.ts';
import { createAllowList } from '../lib/allow-list.ts';
import { required } from '../lib/assert.ts';
import type { Clock } from '../lib/clock.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { SingleFlight } from '../lib/single-flight.ts';
import type { Credential, Reseller, Scope } from './reseller.ts';
import { toSigningKey } from './signature.ts';
import { findCredentialByHash, findReseller } from './store.ts';
import { hashToken, isTokenForm } from './token.ts';

/** A credential with everything that is needed to decide about its requests. */
interface Principal {
  credential: Credential;
  reseller: Reseller;
  caller: Caller;
  isAllowedFrom(address: string): boolean;
}

export type AccessOutcome =
  | { kind: 'granted'; caller: Caller }
  | { kind: 'unauthenticated' }
  | { kind: 'suspended' | 'ip_not_allowed' | 'insufficient_scope'; caller: Caller };

export interface Access {
  authorize(request: { token: string; scope: Scope; address: string }): Promise<AccessOutcome>;
}

const MAX_PRINCIPALS = 20_000;

/**
 * Decides about tokens from memory: one look into a map, as a token's form is checked and its hash computed only when it is
 * new here. Everything remembered is dropped within a second of any change to resellers or credentials, in every process,
 * and expiry is checked against the clock each time.
 */
export async function openAccess(deps: {
  db: Db;
  clock: Clock;
  secretBox: SecretBox;
  revisions: RevisionWatch;
}): Promise<Access> {
  // A token nobody issued is remembered as well, so that guessing does not become work for the database.
  const known = new LRUCache<string, { principal: Principal | null }>({ max: MAX_PRINCIPALS });
  const loading = new SingleFlight<Principal | null>();
  let generation = 0;
  await deps.revisions.subscribe('access', async () => {
    generation += 1;
    known.clear();
  });

  const find = async (token: string): Promise<Principal | null> => {
    const remembered = known.get(token);
    if (remembered) return remembered.principal;
    if (!isTokenForm(token)) return null;
    const startedAt = generation;
    const principal = await loading.run(`${generation} ${token}`, () => load(deps.db, deps.secretBox, hashToken(token)));
    // What was read before a change must not be remembered after it.
    if (startedAt === generation) known.set(token, { principal });
    return principal;
  };

  return {
    async authorize({ token, scope, address }) {
      const principal = await find(token);
      if (principal === null || !isUsable(principal.credential, deps.clock.now())) return { kind: 'unauthenticated' };
      const { caller, reseller, credential } = principal;
      if (reseller.status === 'Suspended') return { kind: 'suspended', caller };
      if (!principal.isAllowedFrom(address)) return { kind: 'ip_not_allowed', caller };
      if (!credential.scopes.includes(scope)) return { kind: 'insufficient_scope', caller };
      return { kind: 'granted', caller };
    },
  };
}

function isUsable(credential: Credential, now: Date): boolean {
  return credential.revokedAt === null && (credential.expiresAt === null || credential.expiresAt > now);
}

async function load(db: Db, secretBox: SecretBox, tokenHash: Uint8Array): Promise<Principal | null> {
  const credential = await findCredentialByHash(db, tokenHash);
  if (credential === null) return null;
  const reseller = required(await findReseller(db, credential.resellerId), 'the reseller of a credential');
  const account = required(await findAccount(db, reseller.id, credential.mode), 'the account of a credential');
  return {
    credential,
    reseller,
    caller: {
      resellerId: reseller.id,
      name: reseller.name,
      username: reseller.username,
      registeredAt: reseller.registeredAt,
      tierCode: reseller.tierCode,
      lowBalanceThreshold: reseller.lowBalanceThreshold,
      mode: credential.mode,
      accountId: account.id,
      signingKey: toSigningKey(secretBox.open(credential.secretSealed, `credential:${credential.id}`)),
    },
    isAllowedFrom: createAllowList(credential.allowedIps),
  };
}
