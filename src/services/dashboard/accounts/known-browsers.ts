/**
 * Recognises browsers from which an account has logged in before, by a signed cookie ("device cookie" of OWASP). Such a
 * browser has its own counter of failed logins, so that strangers who lock the name do not lock out its owner.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { equal } from '../csrf.js';

const NUMBER_BYTES = 16;

export class KnownBrowsers {
  readonly #secret: string;

  /** @param secret key of the signatures */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** The value of the cookie after a login. A browser that is known keeps its number. */
  cookie(username: string, before: string | undefined): string {
    const number = this.number(username, before) ?? randomBytes(NUMBER_BYTES).toString('hex');
    return `${number}.${this.#signature(username, number)}`;
  }

  /** The number of a browser; `undefined` if the account has not logged in from it. */
  number(username: string, cookie: string | undefined): string | undefined {
    const [, number, signature] = /^([0-9a-f]{32})\.([\w-]{43})$/.exec(cookie ?? '') ?? [];
    if (number === undefined || signature === undefined) return undefined;
    return equal(signature, this.#signature(username, number)) ? number : undefined;
  }

  #signature(username: string, number: string): string {
    return createHmac('sha256', this.#secret).update(`browser ${username} ${number}`).digest('base64url');
  }
}
