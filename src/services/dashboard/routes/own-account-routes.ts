/** The page of the own account, for every role. */

import type { Flash, Session } from '../accounts/sessions.js';
import { AdminRefusal } from '../errors.js';
import { type AdminRoute, actorOf, form, page } from '../guarded.js';
import { pageReply, redirect } from '../reply.js';
import * as schema from '../schema.js';
import type { AdminService } from '../service.js';
import { ownAccountPage } from '../views/own-account.js';

export const OWN_ACCOUNT = '/admin/account/';

export function ownAccountRoutes(service: AdminService): AdminRoute[] {
  const { sessions, own } = service;
  return [
    page(sessions, 'viewer', OWN_ACCOUNT, {
      handler: async (_, session) => pageReply(ownAccountPage(session, await own.view(session))),
    }),
    form(sessions, 'viewer', OWN_ACCOUNT, {
      form: schema.ownAccountForm,
      handler: async (request, session) => {
        const message = await change(service, request.body, session, actorOf(session, request));
        await sessions.setFlash(session, message);
        return redirect(OWN_ACCOUNT);
      },
    }),
  ];
}

/** Changes the account. Refusals become the page's message. */
async function change(
  service: AdminService,
  fields: schema.OwnAccountForm,
  ...by: [session: Session, actor: ReturnType<typeof actorOf>]
): Promise<Flash> {
  try {
    return { text: await perform(service, fields, ...by), isError: false };
  } catch (error) {
    if (!(error instanceof AdminRefusal) || error.code === 'FORM_INVALID') throw error;
    return { text: `Not done: ${error.message}.`, isError: true };
  }
}

async function perform(
  { own }: AdminService,
  { action, current, password, session: only, code }: schema.OwnAccountForm,
  session: Session,
  actor: ReturnType<typeof actorOf>,
): Promise<string> {
  const confirmed = { session, password: current, actor };
  switch (action) {
    case 'password':
      await own.changePassword(confirmed, password);
      return 'Your password is changed. Your other sessions have ended.';
    case 'end-session':
      if (only === '') throw new AdminRefusal('FORM_INVALID');
      return ended(await own.endSessions(session, only, actor));
    case 'end-others':
      return ended(await own.endSessions(session, undefined, actor));
    case 'start-factor':
      await own.startSecondFactor(confirmed);
      return 'Add the secret below to your app, and confirm it with a code.';
    case 'cancel-factor':
      await own.cancelSecondFactor(session);
      return 'No second factor was added.';
    case 'confirm-factor':
      await own.confirmSecondFactor(session, code, actor);
      return 'Second factor added. From now on, a login needs a code of your app.';
    case 'remove-factor':
      await own.removeSecondFactor(confirmed, code);
      return 'Second factor removed.';
    case undefined:
      throw new AdminRefusal('FORM_INVALID');
    default:
      return action satisfies never;
  }
}

function ended(count: number): string {
  return count === 1 ? '1 session ended.' : `${count} sessions ended.`;
}
