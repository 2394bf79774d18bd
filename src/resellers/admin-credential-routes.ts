import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type ResellerAdminDeps, requireReseller, resellerParams, unknownReseller } from './admin-parts.ts';
import {
  credentialView,
  credentialViewSchema,
  fromCredentialId,
  issueCredentialSchema,
  issuedCredentialViewSchema,
} from './contract.ts';
import { issueCredential, revokeCredential } from './issue-credential.ts';
import { findReseller, listCredentials } from './store.ts';

const credentialParams = resellerParams.extend({
  credential_id: z
    .string()
    .transform((id) => fromCredentialId(id) ?? '')
    .meta({ description: 'The credential, `cr_…`.', examples: ['cr_01KHCZSDN0E0RR8G882QSBKVTQ'] }),
});

/** Tokens and their signing secrets: issue, list, revoke. */
export function addCredentialRoutes(app: TypedApp, deps: ResellerAdminDeps): void {
  const { db } = deps.database;
  const { timeZone } = deps.view;

  app.post(
    '/admin/api/reseller/:reseller_id/credential',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'createCredential',
        summary: 'Issue a token and its signing secret',
        params: resellerParams,
        body: issueCredentialSchema,
        response: {
          200: successSchema(issuedCredentialViewSchema, 'Credential issued; its token and secret are shown only now'),
        },
        problems: ['not_found'],
      },
    },
    async (request) => {
      const { mode, scopes, expires_at: expiresAt, allowed_ips: allowedIps } = request.body;
      const issued = await issueCredential({ db, clock: deps.clock, secretBox: deps.secretBox }, actorOf(request), {
        resellerId: requireReseller(request.params.reseller_id),
        mode,
        scopes,
        expiresAt,
        allowedIps,
      });
      if (issued === null) throw unknownReseller();
      return success('Credential issued; its token and secret are shown only now', {
        ...credentialView(issued.credential, deps.clock.now(), timeZone),
        access_token: issued.accessToken,
        signing_secret: issued.signingSecret,
      });
    },
  );

  app.get(
    '/admin/api/reseller/:reseller_id/credential',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'listCredentials',
        summary: 'List credentials',
        params: resellerParams,
        response: { 200: successSchema(z.array(credentialViewSchema), 'Credentials retrieved') },
        problems: ['not_found'],
      },
    },
    async (request) => {
      const reseller = await findReseller(db, requireReseller(request.params.reseller_id));
      if (!reseller) throw unknownReseller();
      const credentials = await listCredentials(db, reseller.id);
      return success(
        'Credentials retrieved',
        credentials.map((credential) => credentialView(credential, deps.clock.now(), timeZone)),
      );
    },
  );

  app.delete(
    '/admin/api/reseller/:reseller_id/credential/:credential_id',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'revokeCredential',
        summary: 'Revoke a credential',
        params: credentialParams,
        response: { 200: successSchema(credentialViewSchema, 'Credential revoked') },
        problems: ['not_found'],
      },
    },
    async (request) => {
      const { reseller_id: resellerId, credential_id: credentialId } = request.params;
      if (resellerId === '' || credentialId === '') throw unknownCredential();
      const revoked = await revokeCredential({ db, clock: deps.clock, revisions: deps.revisions }, actorOf(request), {
        resellerId,
        credentialId,
      });
      if (revoked === null) throw unknownCredential();
      return success('Credential revoked', credentialView(revoked, deps.clock.now(), timeZone));
    },
  );
}

function unknownCredential(): Problem {
  return new Problem('not_found', 'The reseller has no credential with this id.');
}
