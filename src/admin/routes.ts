/** HTTP routes of the dashboard. Every page except the login requires a session, and every form its token. */

import { assetRoute } from '../http/docs/pages.js';
import { readCookie } from '../http/request/cookies.js';
import { type Reply, type Request, type Route, route } from '../http/routing/route.js';
import { checkForm } from './csrf.js';
import { AdminRefusal } from './errors.js';
import { loginRoutes, SESSION_COOKIE, sessionCookie } from './login-routes.js';
import type { LoginThrottle } from './port.js';
import { pageReply, redirect } from './reply.js';
import { FORM_BYTES_MAX, row } from './row.js';
import * as schema from './schema.js';
import type { AdminService } from './service.js';
import type { Session } from './sessions.js';
import { confirmPage } from './views/confirm.js';
import { dashboardPage } from './views/dashboard.js';
import { detailPage } from './views/detail.js';
import { failurePage } from './views/failure.js';
import { listPage } from './views/list.js';

const LIST = '/admin/manifests/';

export function adminRoutes(service: AdminService, throttle: LoginThrottle): Route[] {
  return [
    ...pages(service),
    ...forms(service),
    ...loginRoutes(service, throttle),
    assetRoute('/admin/static/style.css', 'style.css'),
    assetRoute('/admin/static/icon.svg', 'icon.svg'),
    assetRoute('/admin/static/admin.css', 'admin/admin.css'),
    assetRoute('/admin/static/admin.js', 'admin/main.js'),
    ...otherPaths(service),
  ].map((row) => ({ ...row, cors: false }));
}

function pages(service: AdminService): Route[] {
  return [
    route({
      ...row('GET', '/admin/'),
      handler: (request) =>
        inSession(service, request, async (session) =>
          pageReply(dashboardPage(session, await service.counts())),
        ),
    }),
    route({
      ...row('GET', LIST),
      query: schema.listQuery,
      handler: (request) =>
        inSession(service, request, async (session) =>
          pageReply(listPage(session, request.query, await service.list(request.query))),
        ),
    }),
    route({
      ...row('GET', `${LIST}{key}/`),
      params: schema.keyParams,
      handler: (request) =>
        inSession(service, request, async (session) =>
          pageReply(detailPage(session, await service.detail(request.params.key))),
        ),
    }),
  ];
}

function forms(service: AdminService): Route[] {
  return [
    route({
      ...row('POST', LIST),
      body: { kind: 'form', schema: schema.actionForm, bytesMax: FORM_BYTES_MAX },
      handler: (request) =>
        inSession(service, request, (session) => {
          checkForm(request, request.body.csrf, session.csrf);
          return act(service, session, request.body);
        }),
    }),
    route({
      ...row('POST', '/admin/logout/'),
      body: { kind: 'form', schema: schema.logoutForm, bytesMax: FORM_BYTES_MAX },
      handler: (request) =>
        inSession(service, request, async (session) => {
          checkForm(request, request.body.csrf, session.csrf);
          await service.sessions.end(tokenOf(request));
          return redirect('/admin/login/', [sessionCookie(request, '')]);
        }),
    }),
  ];
}

/** Redirects URLs without a trailing slash; all other paths are unknown. */
function otherPaths(service: AdminService): Route[] {
  return [
    route({ ...row('GET', '/admin'), handler: () => redirect('/admin/') }),
    route({
      ...row('GET', '/admin/{path...}'),
      handler: (request) => {
        if (!request.path.endsWith('/')) return redirect(`${request.path}/`);
        return inSession(service, request, () => {
          throw new AdminRefusal('PAGE_UNKNOWN');
        });
      },
    }),
  ];
}

type ActionForm = ReturnType<typeof schema.actionForm.parse>;

/** Shows a confirmation page; after the confirmation, performs the action and returns to the list with its result. */
async function act(service: AdminService, session: Session, form: ActionForm): Promise<Reply> {
  if (!session.canDelete) throw new AdminRefusal('FORBIDDEN');
  const { action, key: keys, confirmed } = form;
  const back = schema.listSearch(schema.parsedSearch(form.back));
  const chosen = await service.chosen(keys);
  if (action === undefined || chosen.length === 0) {
    const text = action === undefined ? 'Choose an action.' : 'Select at least one manifest.';
    await service.sessions.setFlash(session, { text, isError: true });
    return redirect(`${LIST}${back}`);
  }
  if (confirmed === undefined) return pageReply(confirmPage(session, action, chosen, back));
  const text = await service.act(
    session,
    action,
    chosen.map(({ key }) => key),
  );
  await service.sessions.setFlash(session, { text, isError: false });
  return redirect(`${LIST}${back}`);
}

/** Calls the handler with the session; without one, redirects to the login. */
async function inSession(
  service: AdminService,
  request: Request,
  handler: (session: Session) => Reply | Promise<Reply>,
): Promise<Reply> {
  const session = await service.sessions.find(tokenOf(request));
  if (session === undefined) return redirect(`/admin/login/${nextOf(request)}`);
  try {
    const reply = await handler(session);
    // A message is shown once, on the next page that the browser displays.
    const isSeen = reply.status === 200 && request.method !== 'HEAD';
    if (session.flash !== undefined && isSeen) await service.sessions.setFlash(session, undefined);
    return reply;
  } catch (error) {
    if (!(error instanceof AdminRefusal)) throw error;
    return pageReply(failurePage('Request refused', error.message, session), error.status);
  }
}

/** Query of the login page: the page to return to. A posted form is not repeated. */
function nextOf(request: Request): string {
  const isList = request.path === LIST && request.method !== 'POST';
  const search = isList ? schema.listSearch(request.query as schema.ListQuery) : '';
  return `?${new URLSearchParams({ next: request.method === 'POST' ? '/admin/' : request.path + search })}`;
}

function tokenOf(request: Request): string | undefined {
  return readCookie(request.header('cookie'), SESSION_COOKIE);
}
