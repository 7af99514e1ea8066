/** A browser without a screen: keeps cookies, follows no redirect, and posts forms. */
import { OPERATOR, PASSWORD } from './dashboard.js';

export type Fields = readonly (readonly [name: string, value: string])[];

export class Visitor {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  /** Of the last answer. */
  setCookies: string[] = [];
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.url = url;
    this.#headers = headers;
  }

  async get(path: string): Promise<Response> {
    return this.#noted(await fetch(this.url + path, { headers: this.#sent(), redirect: 'manual' }));
  }

  async post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Response> {
    const body = new URLSearchParams();
    for (const [name, value] of fields) body.append(name, value);
    const sent = { ...this.#sent(), ...headers };
    return this.#noted(
      await fetch(this.url + path, { method: 'POST', headers: sent, body, redirect: 'manual' }),
    );
  }

  /** Logs in and gives the answer. */
  async login(username = OPERATOR, password = PASSWORD, next = ''): Promise<Response> {
    const csrf = await this.csrf('/admin/login/');
    return this.post('/admin/login/', [
      ['csrf', csrf],
      ['username', username],
      ['password', password],
      ['next', next],
    ]);
  }

  /** The token in the forms of a page. */
  async csrf(path: string): Promise<string> {
    const page = await (await this.get(path)).text();
    return /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
  }

  async text(path: string): Promise<string> {
    return (await this.get(path)).text();
  }

  #sent(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { ...this.#headers, ...(cookie === '' ? {} : { Cookie: cookie }) };
  }

  #noted(response: Response): Response {
    this.setCookies = response.headers.getSetCookie();
    for (const line of this.setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }
}
