/** Routes for logged-in accounts: the only place that checks session, role and form token. */
import type { z } from 'zod';
import { readCookie } from '../../http/head/cookies.js';
import { FileFormInvalid, type PostedFile, readFileForm } from '../../http/request/file-form.js';
import {
  type BodySpec,
  type BodyStream,
  type Parsed,
  type Reply,
  type Request,
  type Route,
  route,
} from '../../http/routing/route.js';
import type { Actor } from '../../storage/database/audit.js';
import type { Role } from '../../storage/database/tables.js';
import { includes } from './accounts/roles.js';
import type { Session, Sessions } from './accounts/sessions.js';
import { checkForm, isOwnSite } from './csrf.js';
import { AdminRefusal } from './errors.js';
import { pageReply, redirect } from './reply.js';
import { FORM_BYTES_MAX, row } from './row.js';
import type * as schema from './schema.js';
import { failurePage } from './views/failure.js';
import { bytes as bytesText } from './views/text.js';

export const SESSION_COOKIE = 'isccd_session';
export const START = '/admin/';
export const LIST = '/admin/manifests/';
export const CONFIRM = `${LIST}confirm/`;

/**
 * Longer forms get the error of the HTTP layer, which is no page. Not higher: a service that accepts longer bodies does
 * not get the faster transport.
 */
const REFUSED_BYTES_MAX = 1024 ** 3;

/** `public`: without a session. */
export type Access = 'public' | Role;

export interface AdminRoute extends Route {
  /** The least role that may use the route. */
  readonly access: Access;
}

type Form = z.ZodType<{ csrf: string }>;

interface PageSpec<P extends z.ZodObject | undefined, Q extends z.ZodObject | undefined> {
  readonly params?: P;
  readonly query?: Q;
  /** The address to return to after a login. Default: the path without its query. */
  readonly address?: (query: Parsed<Q>) => string;
  readonly handler: (request: Request<Parsed<P>, Parsed<Q>>, session: Session) => Reply | Promise<Reply>;
}

interface FormSpec<F extends Form> {
  readonly form: F;
  readonly handler: (
    request: Request<unknown, unknown, unknown, z.output<F>>,
    session: Session,
  ) => Reply | Promise<Reply>;
}

/** A page for accounts with at least this role. */
export function page<
  const P extends z.ZodObject | undefined = undefined,
  const Q extends z.ZodObject | undefined = undefined,
>(sessions: Sessions, access: Role, path: string, { handler, address, ...spec }: PageSpec<P, Q>): AdminRoute {
  const guarded = route({
    ...row('GET', path),
    ...(spec as { params?: P; query?: Q }),
    handler: (given) => {
      const request = given as Request<Parsed<P>, Parsed<Q>>;
      const next = address?.(request.query) ?? request.path;
      return inSession(sessions, request, { access, login: loginAddress(next) }, (session) =>
        handler(request, session),
      );
    },
  });
  return { ...guarded, access };
}

/** A form of a page, for accounts with at least this role. */
export function form<F extends Form>(
  sessions: Sessions,
  access: Role,
  path: string,
  { form: fields, handler }: FormSpec<F>,
): AdminRoute {
  const body = { kind: 'form', schema: fields, bytesMax: FORM_BYTES_MAX } as const satisfies BodySpec;
  const guarded = route({
    ...row('POST', path),
    body,
    handler: (request) =>
      inSession(sessions, request, { access, login: loginAfterForm(request) }, (session) => {
        const posted = request as Request<unknown, unknown, unknown, z.output<F>>;
        checkForm(request, posted.body.csrf, session.csrf);
        return handler(posted, session);
      }),
  });
  return { ...guarded, access };
}

interface UploadSpec {
  /** Largest file. */
  readonly bytesMax: number;
  /** @param file `undefined` if the user chose none */
  readonly handler: (
    request: Request,
    file: PostedFile | undefined,
    session: Session,
  ) => Reply | Promise<Reply>;
}

/** A form with a file. Session, role and form token are checked before a byte of the file is read. */
export function upload(
  sessions: Sessions,
  access: Role,
  path: string,
  { bytesMax, handler }: UploadSpec,
): AdminRoute {
  const formBytesMax = bytesMax + FORM_BYTES_MAX;
  const routeBytesMax = bytesMax > REFUSED_BYTES_MAX ? formBytesMax : REFUSED_BYTES_MAX;
  const body = { kind: 'stream', bytesMax: routeBytesMax } as const satisfies BodySpec;
  const guarded = route({
    ...row('POST', path),
    body,
    handler: (request) =>
      inSession(sessions, request, { access, login: loginAfterForm(request) }, async (session) => {
        try {
          const bytes = atMost(request.body, formBytesMax);
          const { fields, file } = await readFileForm(request.header('content-type'), bytes);
          checkForm(request, fields.get('csrf') ?? '', session.csrf);
          return await handler(request, file, session);
        } catch (error) {
          if (error instanceof FileFormInvalid) throw new AdminRefusal('FORM_INVALID');
          if (error instanceof TooLong)
            throw new AdminRefusal('FILE_TOO_LARGE', { limit: bytesText(bytesMax) });
          throw error;
        }
      }),
  });
  return { ...guarded, access };
}

/** The posted form is longer than the limit. */
class TooLong extends Error {}

/** @throws {TooLong} if the body is longer, before it is read if its length is declared */
async function* atMost(body: BodyStream, bytesMax: number): AsyncGenerator<Uint8Array> {
  if ((body.declaredBytes ?? 0) > bytesMax) throw new TooLong();
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > bytesMax) throw new TooLong();
    yield chunk;
  }
}

/** A route without a session. */
export function open(given: Route): AdminRoute {
  return { ...given, access: 'public' };
}

/** Who acts, for the audit log. */
export function actorOf({ username }: Session, { clientAddress }: Request): Actor {
  return { kind: 'account', name: username, origin: clientAddress };
}

export function tokenOf(request: Request): string | undefined {
  return readCookie(request.header('cookie'), SESSION_COOKIE);
}

/** @throws {AdminRefusal} unless the session has the role */
export function requireRole({ role }: Session, needed: Role): void {
  if (!includes(role, needed)) throw new AdminRefusal('FORBIDDEN', { needed, role });
}

interface Entry {
  readonly access: Role;
  /** Address of the login page for requests without a session. */
  readonly login: string;
}

/** Calls the handler with the session; without one, redirects to the login. */
async function inSession(
  sessions: Sessions,
  request: Request,
  { access, login }: Entry,
  handler: (session: Session) => Reply | Promise<Reply>,
): Promise<Reply> {
  const session = await sessions.find(tokenOf(request));
  if (session === undefined) return redirect(login);
  try {
    requireRole(session, access);
    const reply = await handler(session);
    // A message is shown once, on the next page that the browser displays.
    const isSeen = reply.status === 200 && request.method !== 'HEAD';
    if (session.flash !== undefined && isSeen) await sessions.setFlash(session, undefined);
    return reply;
  } catch (error) {
    if (!(error instanceof AdminRefusal)) throw error;
    return pageReply(failurePage('Request refused', error.message, session), error.status);
  }
}

/** Address of the login page, which returns to `next` and first says the notice. */
export function loginAddress(next: string, notice?: schema.Notice): string {
  return `/admin/login/?${new URLSearchParams({ next, ...(notice && { notice }) })}`;
}

/** A posted form is not repeated after the login: the page says so, and returns to the form. */
function loginAfterForm(request: Request): string {
  return loginAddress(formPage(request), 'unsent');
}

/** The page of this dashboard that contained the posted form. */
function formPage(request: Request): string {
  const referer = request.header('referer');
  if (referer === undefined || !URL.canParse(referer)) return START;
  const { pathname, search } = new URL(referer);
  return isOwnSite(request, referer) && pathname.startsWith(START) ? pathname + search : START;
}
