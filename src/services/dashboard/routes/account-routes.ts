/** Accounts of the dashboard: a page for admins. */
import type { Actor } from '../../../storage/database/audit.js';
import type { Flash } from '../accounts/sessions.js';
import { AdminRefusal } from '../errors.js';
import { type AdminRoute, actorOf, form, page } from '../guarded.js';
import { pageReply, redirect } from '../reply.js';
import * as schema from '../schema.js';
import type { AdminService } from '../service.js';
import { accountsPage } from '../views/accounts.js';

const ACCOUNTS = '/admin/accounts/';

export function accountRoutes(service: AdminService): AdminRoute[] {
  const { sessions } = service;
  return [
    page(sessions, 'admin', ACCOUNTS, {
      handler: async (_, session) => pageReply(accountsPage(session, await service.accounts.list())),
    }),
    form(sessions, 'admin', ACCOUNTS, {
      form: schema.accountForm,
      handler: async (request, session) => {
        const message = await change(service, request.body, actorOf(session, request));
        await sessions.setFlash(session, message);
        return redirect(ACCOUNTS);
      },
    }),
  ];
}

/** Names are compared in lower case. */
function nameOf(username: string): string {
  return username.trim().toLowerCase();
}

/** Changes an account. Refusals become the page's message. */
async function change(service: AdminService, fields: schema.AccountForm, actor: Actor): Promise<Flash> {
  try {
    const text = await perform(service, fields, actor);
    return { text, isError: false };
  } catch (error) {
    if (!(error instanceof AdminRefusal) || error.code === 'FORM_INVALID') throw error;
    return { text: `Not done: ${error.message}.`, isError: true };
  }
}

async function perform(
  { accounts }: AdminService,
  { action, username, password, role }: schema.AccountForm,
  actor: Actor,
): Promise<string> {
  const name = nameOf(username);
  const isOwn = name === actor.name;
  switch (action) {
    case 'add':
      await accounts.add(name, password, role ?? 'viewer', actor);
      return `Account ${name} created.`;
    case 'role':
      if (role === undefined) throw new AdminRefusal('FORM_INVALID');
      // Prevents that the last admin shuts out itself.
      if (isOwn) throw new AdminRefusal('OWN_ACCOUNT');
      await accounts.setRole(name, role, actor);
      return `Account ${name} has the role ${role}.`;
    case 'password':
      // There, the current password is needed.
      if (isOwn) throw new AdminRefusal('OWN_PASSWORD');
      await accounts.changePassword(name, password, actor);
      return `Password of ${name} changed, its sessions ended.`;
    case 'disable':
      if (isOwn) throw new AdminRefusal('OWN_ACCOUNT');
      await accounts.setDisabled(name, true, actor);
      return `Account ${name} disabled, its sessions ended.`;
    case 'enable':
      await accounts.setDisabled(name, false, actor);
      return `Account ${name} enabled.`;
    case 'unlock':
      await accounts.unlock(name, actor);
      return `Account ${name} unlocked.`;
    case 'end-sessions':
      await accounts.endSessions(name, actor);
      return `Sessions of ${name} ended.`;
    case undefined:
      throw new AdminRefusal('FORM_INVALID');
    default:
      return action satisfies never;
  }
}
