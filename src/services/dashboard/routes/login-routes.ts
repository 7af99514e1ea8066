/** Login. There is no session yet, so the form's token is compared with a cookie of the login page. */
import { cookieLine, readCookie } from '../../../http/head/cookies.js';
import { type Reply, type Request, route } from '../../../http/routing/route.js';
import { randomToken, SESSION_SECONDS } from '../accounts/sessions.js';
import { checkForm } from '../csrf.js';
import { AdminRefusal } from '../errors.js';
import { type AdminRoute, open, SESSION_COOKIE, START } from '../guarded.js';
import type { LoginThrottle } from '../port.js';
import { pageReply, redirect } from '../reply.js';
import { FORM_BYTES_MAX, row } from '../row.js';
import * as schema from '../schema.js';
import type { AdminService, LoginContext } from '../service.js';
import { failurePage } from '../views/failure.js';
import { loginPage } from '../views/login.js';

const LOGIN_COOKIE = 'isccd_login';
/** Of a browser from which an account has logged in. */
const BROWSER_COOKIE = 'isccd_browser';
/** Browsers keep cookies no longer. */
const BROWSER_SECONDS = 400 * 86_400;
const LOGIN_PAGE_SECONDS = 12 * 3600;
const PATH = '/admin';

/** One text for every cause, so that the page does not reveal which names exist. */
const WRONG = 'The user name, the password or the code is wrong.';

export function loginRoutes(service: AdminService, throttle: LoginThrottle): AdminRoute[] {
  const { url } = service;
  return [
    route({
      ...row('GET', '/admin/login/'),
      query: schema.loginQuery,
      handler: (request) => form(request, url, request.query, 200),
    }),
    route({
      ...row('POST', '/admin/login/'),
      body: { kind: 'form', schema: schema.loginForm, bytesMax: FORM_BYTES_MAX },
      handler: async (request) => {
        const { username, password, code, csrf, next } = request.body;
        const wait = await throttle.take('login', request.clientAddress);
        if (wait > 0) return tooMany(request, url, next, wait, 'Too many attempts.');
        try {
          checkForm(request, csrf, readCookie(request.header('cookie'), LOGIN_COOKIE));
        } catch (error) {
          if (!(error instanceof AdminRefusal)) throw error;
          return pageReply(failurePage('Please try again', error.message, undefined), error.status);
        }
        const before = readCookie(request.header('cookie'), SESSION_COOKIE);
        const login = await service.login({ username, password, code }, context(request, before));
        if (login.token === undefined && login.wait !== undefined) {
          return tooMany(request, url, next, login.wait, 'Too many failed logins with this user name.');
        }
        if (login.token === undefined) return form(request, url, { next, username, error: WRONG }, 200);
        const cookies = [sessionCookie(request, url, login.token), browserCookie(request, url, login.known)];
        return redirect(schema.localPath(next) ?? START, cookies);
      },
    }),
  ].map(open);
}

function context(request: Request, before: string | undefined): LoginContext {
  return {
    before,
    known: readCookie(request.header('cookie'), BROWSER_COOKIE),
    origin: request.clientAddress,
    browser: request.header('user-agent'),
    log: request.log,
  };
}

function browserCookie(request: Request, url: string, value: string): string {
  return cookieLine({
    name: BROWSER_COOKIE,
    value,
    path: PATH,
    maxAgeSeconds: BROWSER_SECONDS,
    secure: isSecure(request, url),
  });
}

/**
 * Sets the session's cookie; an empty token deletes it.
 *
 * @param url public address of the store
 */
export function sessionCookie(request: Request, url: string, token: string): string {
  return cookieLine({
    name: SESSION_COOKIE,
    value: token,
    path: PATH,
    maxAgeSeconds: token === '' ? 0 : SESSION_SECONDS,
    secure: isSecure(request, url),
  });
}

interface FormState {
  /** Where the form leads to. An address outside the dashboard is left out. */
  readonly next: string;
  readonly notice?: schema.Notice | undefined;
  readonly username?: string;
  readonly error?: string;
}

/** The login page, with the token of its cookie. A cookie that the browser has already is kept, for other tabs. */
function form(
  request: Request,
  url: string,
  state: FormState,
  status: number,
  headers: Record<string, string> = {},
): Reply {
  const known = readCookie(request.header('cookie'), LOGIN_COOKIE);
  const csrf = known !== undefined && /^[\w-]{43}$/.test(known) ? known : randomToken();
  const cookie = cookieLine({
    name: LOGIN_COOKIE,
    value: csrf,
    path: PATH,
    maxAgeSeconds: LOGIN_PAGE_SECONDS,
    secure: isSecure(request, url),
  });
  const next = schema.localPath(state.next) ?? START;
  return pageReply(loginPage({ ...state, next, csrf }), status, { ...headers, 'Set-Cookie': cookie });
}

function tooMany(request: Request, url: string, next: string, seconds: number, cause: string): Reply {
  const error = `${cause} Please wait ${seconds} s and try again.`;
  return form(request, url, { next, error }, 429, { 'Retry-After': String(seconds) });
}

/**
 * Whether the browser uses HTTPS: by the scheme that a trusted proxy reports, or because it uses the host of the store's public
 * address, which is `https:`. Plain HTTP to another name, such as `127.0.0.1` through a tunnel, keeps working.
 */
function isSecure({ origin }: Request, url: string): boolean {
  if (origin.startsWith('https:')) return true;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' && URL.canParse(origin) && new URL(origin).hostname === hostname;
}
