/**
 * HTTP routes of the dashboard. Each row states the least role that may use it; `guarded.ts` checks session, role and
 * form token.
 */
import { assetRoute } from '../../http/docs/pages.js';
import { type Reply, route } from '../../http/routing/route.js';
import { StorageUnavailable } from '../../storage/data/unavailable.js';
import { isUnavailable, UNAVAILABLE_RETRY_SECONDS } from '../../storage/database/unavailable.js';
import { ACTION_ROLES } from './accounts/roles.js';
import type { Flash, Session } from './accounts/sessions.js';
import { AdminRefusal } from './errors.js';
import {
  type AdminRoute,
  actorOf,
  CONFIRM,
  form,
  LIST,
  open,
  page,
  requireRole,
  START,
  tokenOf,
} from './guarded.js';
import type { LoginThrottle } from './port.js';
import { imageReply, pageReply, redirect } from './reply.js';
import { accountRoutes } from './routes/account-routes.js';
import { auditRoutes } from './routes/audit-routes.js';
import { loginRoutes, sessionCookie } from './routes/login-routes.js';
import { matchRoutes } from './routes/match-routes.js';
import { ownAccountRoutes } from './routes/own-account-routes.js';
import { tokenRoutes } from './routes/token-routes.js';
import { webhookRoutes } from './routes/webhook-routes.js';
import { row } from './row.js';
import * as schema from './schema.js';
import type { AdminService } from './service.js';
import { confirmPage } from './views/confirm.js';
import { dashboardPage } from './views/dashboard.js';
import { detailPage } from './views/detail.js';
import { failurePage } from './views/failure.js';
import { listPage } from './views/list.js';

export function adminRoutes(service: AdminService, throttle: LoginThrottle): AdminRoute[] {
  return [
    ...pages(service),
    ...forms(service),
    ...accountRoutes(service),
    ...ownAccountRoutes(service),
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

/** A browser gets a page also while the database or the storage is away. Whether a change was made may be unknown. */
async function inPage(
  { handler }: AdminRoute,
  request: Parameters<AdminRoute['handler']>[0],
): Promise<Reply> {
  try {
    return await handler(request);
  } catch (error) {
    const isDatabase = isUnavailable(error);
    if (!isDatabase && !(error instanceof StorageUnavailable)) throw error;
    const what = isDatabase ? 'database' : 'storage of manifests';
    const text = `The ${what} does not respond. In some seconds, look whether anything was changed, and try again.`;
    const retry = { 'Retry-After': String(UNAVAILABLE_RETRY_SECONDS) };
    return pageReply(failurePage('Not available', text, undefined), 503, retry);
  }
}

function pages(service: AdminService): AdminRoute[] {
  const { sessions } = service;
  return [
    page(sessions, 'viewer', START, {
      handler: async (_, session) =>
        pageReply(dashboardPage(session, { ...(await service.overview()), hubs: service.hubs() })),
    }),
    page(sessions, 'viewer', LIST, {
      query: schema.listQuery,
      address: (query) => LIST + schema.listSearch(query),
      handler: async ({ query }, session) => {
        const [found, algorithms] = await Promise.all([service.list(query), service.algorithms()]);
        const logStates = await service.logStates(found.rows);
        return pageReply(
          listPage(session, query, {
            page: found,
            algorithms,
            logStates,
            fileBytesMax: service.fileSearch?.bytesMax,
          }),
        );
      },
    }),
    // The least role of an action; `confirm` checks that of the chosen one.
    page(sessions, 'operator', CONFIRM, {
      query: schema.confirmQuery,
      address: (query) => CONFIRM + schema.confirmSearch(query),
      handler: ({ query: { action, key, all, ...query } }, session) =>
        confirm(service, { action, keys: key, all, query }, session),
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
        return redirect('/admin/login/', [sessionCookie(request, service.url, '')]);
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

interface Asked {
  readonly action: schema.Action | undefined;
  readonly keys: readonly number[];
  /** The action is for all manifests that fit the query. */
  readonly all: 'yes' | undefined;
  /** Of the list to return to. */
  readonly query: schema.ListQuery;
}

/** Returns to the list with a message. */
async function toList(
  { sessions }: AdminService,
  session: Session,
  query: schema.ListQuery,
  flash: Flash,
): Promise<Reply> {
  await sessions.setFlash(session, flash);
  return redirect(LIST + schema.listSearch(query));
}

/** Asks before an action. Shows the question with GET, so that a browser can return to it. */
async function confirm(service: AdminService, asked: Asked, session: Session): Promise<Reply> {
  const { action, keys, all, query } = asked;
  const refused = (text: string) => toList(service, session, query, { text, isError: true });
  if (action === undefined) return refused('Choose an action.');
  requireRole(session, ACTION_ROLES[action]);
  const fitting = all === undefined ? undefined : await service.fitting(query);
  const chosen = fitting?.newest ?? (await service.chosen(keys));
  if (chosen.length > 0) {
    const back = schema.listSearch(query);
    return pageReply(confirmPage(session, action, { chosen, fitting, back, undoDays: service.undoDays }));
  }
  return refused(
    keys.length > 0 ? 'The selected manifests no longer exist.' : 'Select at least one manifest.',
  );
}

/** Performs a confirmed action and returns to the list with its result. */
async function act(service: AdminService, request: ActionRequest, session: Session): Promise<Reply> {
  const { action, key: keys, all, upTo, confirmed, back } = request.body;
  const query = schema.parsedSearch(back);
  const isComplete = confirmed !== undefined && (all === undefined || upTo !== undefined);
  if (action === undefined || !isComplete) return confirm(service, { action, keys, all, query }, session);
  requireRole(session, ACTION_ROLES[action]);
  const actor = actorOf(session, request);
  const finish = (text: string) => toList(service, session, query, { text, isError: false });
  if (upTo !== undefined && all !== undefined) {
    return finish(await service.actOnFitting(actor, action, query, upTo));
  }
  const chosen = await service.chosen(keys);
  if (chosen.length === 0) return confirm(service, { action, keys, all, query }, session);
  return finish(await service.act(actor, action, chosen));
}
