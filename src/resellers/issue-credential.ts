import type { Db } from '../db/database.ts';
import { bumpRevision, type RevisionWatch } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { type Actor, recordAction } from '../operators/index.ts';
import type { Credential } from './reseller.ts';
import { findReseller, insertCredential, revokeCredential as revokeStored } from './store.ts';
import { hashToken, newAccessToken, newSigningSecret, tokenHint } from './token.ts';

export interface IssuedCredential {
  credential: Credential;
  /** Told once; afterwards only its hash exists. */
  accessToken: string;
  signingSecret: string;
}

/** Issues a token with its signing secret to a reseller; null when there is no such reseller. */
export async function issueCredential(
  deps: { db: Db; clock: Clock; secretBox: SecretBox },
  actor: Actor,
  request: Pick<Credential, 'resellerId' | 'mode' | 'scopes' | 'allowedIps' | 'expiresAt'>,
): Promise<IssuedCredential | null> {
  const now = deps.clock.now();
  const id = newId(now);
  const accessToken = newAccessToken(request.mode);
  const signingSecret = newSigningSecret();
  const credential: Credential = {
    ...request,
    id,
    tokenHash: hashToken(accessToken),
    tokenHint: tokenHint(accessToken),
    secretSealed: deps.secretBox.seal(signingSecret, `credential:${id}`),
    revokedAt: null,
    createdAt: now,
  };
  const issued = await inTransaction(deps.db, async (tx) => {
    if ((await findReseller(tx, request.resellerId)) === null) return false;
    await insertCredential(tx, credential);
    const details = { credential_id: id, mode: request.mode, scopes: request.scopes };
    await recordAction(tx, deps.clock, actor, { action: 'credential.issue', subject: request.resellerId, details });
    return true;
  });
  return issued ? { credential, accessToken, signingSecret } : null;
}

/** Revokes a credential: within a second no process accepts it any more. Null when the reseller has none with this id. */
export async function revokeCredential(
  deps: { db: Db; clock: Clock; revisions: RevisionWatch },
  actor: Actor,
  request: { resellerId: string; credentialId: string },
): Promise<Credential | null> {
  const revoked = await inTransaction(deps.db, async (tx) => {
    const credential = await revokeStored(tx, request.resellerId, request.credentialId, deps.clock.now());
    if (credential === null) return null;
    await bumpRevision(tx, 'access');
    await recordAction(tx, deps.clock, actor, {
      action: 'credential.revoke',
      subject: request.resellerId,
      details: { credential_id: request.credentialId },
    });
    return credential;
  });
  await deps.revisions.check();
  return revoked;
}
