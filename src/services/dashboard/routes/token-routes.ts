/** Upload tokens of publishers: a page for admins. */
import type { Actor } from '../../../storage/database/audit.js';
import { AdminRefusal } from '../errors.js';
import { type AdminRoute, actorOf, form, page } from '../guarded.js';
import type { NewToken, Refused } from '../port.js';
import { pageReply, redirect } from '../reply.js';
import * as schema from '../schema.js';
import type { AdminService } from '../service.js';
import { tokensPage } from '../views/tokens.js';

const TOKENS = '/admin/tokens/';

export function tokenRoutes(service: AdminService): AdminRoute[] {
  const { sessions, tokens } = service;
  return [
    page(sessions, 'admin', TOKENS, {
      handler: async (_, session) =>
        pageReply(tokensPage(session, { tokens: await tokens.list(), scopes: tokens.scopes })),
    }),
    form(sessions, 'admin', TOKENS, {
      form: schema.tokenForm,
      handler: async (request, session) => {
        const outcome = await change(service, request.body, actorOf(session, request));
        if ('token' in outcome) {
          // Not a redirect: the token must not get into the database, and this response is its only copy.
          const parts = { tokens: await tokens.list(), scopes: tokens.scopes, created: outcome };
          return pageReply(tokensPage(session, parts));
        }
        const isError = 'refused' in outcome;
        const text = isError ? `Not done: ${outcome.refused}.` : outcome.text;
        await sessions.setFlash(session, { text, isError });
        return redirect(TOKENS);
      },
    }),
  ];
}

async function change(
  { tokens }: AdminService,
  { action, publisher, scope, days, key }: schema.TokenForm,
  actor: Actor,
): Promise<NewToken | Refused | { readonly text: string }> {
  switch (action) {
    case 'add':
      if (days === undefined) return { refused: 'the days must be a number from 1 to 99999, or empty' };
      return tokens.create({ publisher: publisher.trim(), scopes: scope, ...(days > 0 && { days }) }, actor);
    case 'revoke': {
      if (key === undefined) throw new AdminRefusal('FORM_INVALID');
      const revoked = await tokens.revoke(key, actor);
      return 'refused' in revoked
        ? revoked
        : { text: `Token ${revoked.key} of ${revoked.publisher} revoked.` };
    }
    case undefined:
      throw new AdminRefusal('FORM_INVALID');
    default:
      return action satisfies never;
  }
}
