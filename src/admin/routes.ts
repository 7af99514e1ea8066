/**
 * HTTP routes of the dashboard. Each row states the least role that may use it; `guarded.ts` checks session, role and
 * form token.
 */
import { isUnavailable, UNAVAILABLE_RETRY_SECONDS } from '../database/unavailable.js';
import { assetRoute } from '../http/docs/pages.js';
import { type Reply, route } from '../http/routing/route.js';
import { accountRoutes } from './account-routes.js';
import { auditRoutes } from './audit-routes.js';
import { AdminRefusal } from './errors.js';
import { type AdminRoute, actorOf, form, LIST, open, page, requireRole, START, tokenOf } from './guarded.js';
import { loginRoutes, sessionCookie } from './login-routes.js';
import { matchRoutes } from './match-routes.js';
import type { LoginThrottle } from './port.js';
import { imageReply, pageReply, redirect } from './reply.js';
import { ACTION_ROLES } from './roles.js';
import { row } from './row.js';
import * as schema from './schema.js';
import type { AdminService } from './service.js';
import type { Session } from './sessions.js';
import { tokenRoutes } from './token-routes.js';
import { confirmPage } from './views/confirm.js';
import { dashboardPage } from './views/dashboard.js';
import { detailPage } from './views/detail.js';
import { failurePage } from './views/failure.js';
import { listPage } from './views/list.js';
import { webhookRoutes } from './webhook-routes.js';

export function adminRoutes(service: AdminService, throttle: LoginThrottle): AdminRoute[] {
  return [
    ...pages(service),
    ...forms(service),
    ...accountRoutes(service),
    ...auditRoutes(service),
    ...tokenRoutes(service),
    ...webhookRoutes(service),
    ...matchRoutes(service, service.fileSearch),
    ...loginRoutes(service, throttle),
    open(assetRoute('/admin/static/style.css', 'style.css')),
    open(assetRoute('/admin/static/icon.svg', 'icon.svg')),
    open(assetRoute('/admin/static/admin.css', 'admin/admin.css')),
    open(assetRoute('/admin/static/admin.js', 'admin/main.js')),
    ...otherPaths(service),
  ].map((row) => ({ ...row, cors: false, handler: (request) => inPage(row, request) }));
}

/** A browser gets a page also while the database is away. */
async function inPage(
  { handler }: AdminRoute,
  request: Parameters<AdminRoute['handler']>[0],
): Promise<Reply> {
  try {
    return await handler(request);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const text = 'The database does not respond. Nothing was changed; please try again in some seconds.';
    const retry = { 'Retry-After': String(UNAVAILABLE_RETRY_SECONDS) };
    return pageReply(failurePage('Not available', text, undefined), 503, retry);
  }
}

function pages(service: AdminService): AdminRoute[] {
  const { sessions } = service;
  return [
    page(sessions, 'viewer', START, {
      handler: async (_, session) =>
        pageReply(dashboardPage(session, await service.counts(), service.hubs())),
    }),
    page(sessions, 'viewer', LIST, {
      query: schema.listQuery,
      handler: async ({ query }, session) => {
        const [found, algorithms] = await Promise.all([service.list(query), service.algorithms()]);
        const logStates = await service.logStates(found.rows);
        return pageReply(
          listPage(session, query, {
            page: found,
            algorithms,
            logStates,
            canSearchFiles: service.fileSearch !== undefined,
          }),
        );
      },
    }),
    page(sessions, 'viewer', `${LIST}{key}/`, {
      params: schema.keyParams,
      handler: async ({ params }, session) =>
        pageReply(detailPage(session, await service.detail(params.key))),
    }),
    page(sessions, 'viewer', `${LIST}{key}/thumbnail/`, {
      params: schema.keyParams,
      handler: async ({ params }) => {
        const { bytes, contentType } = await service.thumbnail(params.key);
        return imageReply(bytes, contentType);
      },
    }),
  ];
}

function forms(service: AdminService): AdminRoute[] {
  const { sessions } = service;
  return [
    // The least role of an action; `act` checks that of the chosen one.
    form(sessions, 'operator', LIST, {
      form: schema.actionForm,
      handler: (request, session) => act(service, request, session),
    }),
    form(sessions, 'viewer', '/admin/logout/', {
      form: schema.logoutForm,
      handler: async (request, session) => {
        await service.logout(tokenOf(request), actorOf(session, request));
        return redirect('/admin/login/', [sessionCookie(request, '')]);
      },
    }),
  ];
}

/** Redirects URLs without a trailing slash; all other paths are unknown. */
function otherPaths({ sessions }: AdminService): AdminRoute[] {
  const unknown = page(sessions, 'viewer', '/admin/{path...}', {
    handler: () => {
      throw new AdminRefusal('PAGE_UNKNOWN');
    },
  });
  return [
    open(route({ ...row('GET', '/admin'), handler: () => redirect(START) })),
    {
      ...unknown,
      handler: (request) =>
        request.path.endsWith('/') ? unknown.handler(request) : redirect(`${request.path}/`),
    },
  ];
}

type ActionRequest = Parameters<typeof actorOf>[1] & { readonly body: schema.ActionForm };

/** Shows a confirmation page; after the confirmation, performs the action and returns to the list with its result. */
async function act(service: AdminService, request: ActionRequest, session: Session): Promise<Reply> {
  const { action, key: keys, all, upTo, confirmed, back: given } = request.body;
  if (action !== undefined) requireRole(session, ACTION_ROLES[action]);
  const query = schema.parsedSearch(given);
  const back = schema.listSearch(query);
  const actor = actorOf(session, request);
  const finish = async (text: string, isError = false) => {
    await service.sessions.setFlash(session, { text, isError });
    return redirect(`${LIST}${back}`);
  };
  if (action === undefined) return finish('Choose an action.', true);
  if (all !== undefined && confirmed !== undefined && upTo !== undefined) {
    return finish(await service.actOnFitting(actor, action, query, upTo));
  }
  const fitting = all === undefined ? undefined : await service.fitting(query);
  const chosen = fitting?.newest ?? (await service.chosen(keys));
  if (chosen.length === 0) return finish('Select at least one manifest.', true);
  if (confirmed === undefined || fitting !== undefined) {
    return pageReply(confirmPage(session, action, { chosen, fitting, back }));
  }
  return finish(await service.act(actor, action, chosen));
}
