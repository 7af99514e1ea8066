/** Webhooks: a page for admins. */
import type { Actor } from '../../../storage/database/audit.js';
import type { Session } from '../accounts/sessions.js';
import { AdminRefusal } from '../errors.js';
import { type AdminRoute, actorOf, form, page } from '../guarded.js';
import type { NewWebhook, Refused } from '../port.js';
import { pageReply, redirect } from '../reply.js';
import * as schema from '../schema.js';
import type { AdminService } from '../service.js';
import { type WebhooksParts, webhooksPage } from '../views/webhooks.js';

const WEBHOOKS = '/admin/webhooks/';
/** Events in the outboxes that the page shows. */
const WAITING_SHOWN = 20;

export function webhookRoutes(service: AdminService): AdminRoute[] {
  const { sessions, webhooks } = service;
  const show = async (session: Session, created?: NewWebhook) => {
    const [receivers, waiting] = await Promise.all([webhooks.list(), webhooks.waiting(WAITING_SHOWN)]);
    const parts: WebhooksParts = { receivers, waiting, types: webhooks.types, created };
    return pageReply(webhooksPage(session, parts));
  };
  return [
    page(sessions, 'admin', WEBHOOKS, { handler: (_, session) => show(session) }),
    form(sessions, 'admin', WEBHOOKS, {
      form: schema.webhookForm,
      handler: async (request, session) => {
        const outcome = await change(service, request.body, actorOf(session, request));
        // Not a redirect: the secret must not get into the database, and this response is its only copy.
        if ('secret' in outcome) return show(session, outcome);
        const isError = 'refused' in outcome;
        const text = isError ? `Not done: ${outcome.refused}.` : outcome.text;
        await sessions.setFlash(session, { text, isError });
        return redirect(WEBHOOKS);
      },
    }),
  ];
}

async function change(
  { webhooks }: AdminService,
  { action, url, type, key }: schema.WebhookForm,
  actor: Actor,
): Promise<NewWebhook | Refused | { readonly text: string }> {
  if (action === 'add') return webhooks.create({ url: url.trim(), types: type }, actor);
  if (action === undefined || key === undefined) throw new AdminRefusal('FORM_INVALID');
  const refused = await webhooks[action](key, actor);
  return refused ?? { text: `Webhook ${key} ${DONE[action]}.` };
}

const DONE = { disable: 'disabled', enable: 'enabled', delete: 'deleted' } as const;
