/** A minimal browser: keeps cookies, posts forms, does not follow redirects. */
import { OPERATOR, PASSWORD } from './dashboard.js';

export type Fields = readonly (readonly [name: string, value: string])[];

export class Visitor {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  /** `Set-Cookie` lines of the last response. */
  setCookies: string[] = [];
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.url = url;
    this.#headers = headers;
  }

  async get(path: string): Promise<Response> {
    return this.#recordCookies(await fetch(this.url + path, { headers: this.#sent(), redirect: 'manual' }));
  }

  async post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Response> {
    const body = new URLSearchParams();
    for (const [name, value] of fields) body.append(name, value);
    const sent = { ...this.#sent(), ...headers };
    return this.#recordCookies(
      await fetch(this.url + path, { method: 'POST', headers: sent, body, redirect: 'manual' }),
    );
  }

  /** Logs in and returns the response. */
  async login(username = OPERATOR, password = PASSWORD, next = '', code = ''): Promise<Response> {
    const csrf = await this.csrf('/admin/login/');
    return this.post('/admin/login/', [
      ['csrf', csrf],
      ['username', username],
      ['password', password],
      ['code', code],
      ['next', next],
    ]);
  }

  /** The CSRF token in the forms of a page. */
  async csrf(path: string): Promise<string> {
    const page = await (await this.get(path)).text();
    return /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  }

  async text(path: string): Promise<string> {
    return (await this.get(path)).text();
  }

  /** Posts a form of a page to the page itself. */
  async submit(path: string, fields: Fields): Promise<Response> {
    return this.post(path, [['csrf', await this.csrf(path)], ...fields]);
  }

  /** The message that a page shows after a change; otherwise empty. */
  async flash(path: string): Promise<string> {
    return /class="flash[^>]*>([^<]*)</.exec(await this.text(path))?.[1] ?? '';
  }

  #sent(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { ...this.#headers, ...(cookie === '' ? {} : { Cookie: cookie }) };
  }

  #recordCookies(response: Response): Response {
    this.setCookies = response.headers.getSetCookie();
    for (const line of this.setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }
}
