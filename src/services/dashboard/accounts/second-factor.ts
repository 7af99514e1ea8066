/**
 * Second factor of accounts: time-based one-time passwords (RFC 6238) with SHA-1, six digits and 30 s, which all
 * authenticator apps support. The database has only nonces; secrets are derived from them and the secret key of the store.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const NONCE_BYTES = 16;
/** As long as the hash, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** Steps before and after the current one whose code is accepted, because clocks differ. */
const WINDOW = 1;

export class SecondFactors {
  readonly #secretKey: string;
  readonly #issuer: string;

  /** @param url address of the store, which the app shows with the account's name */
  constructor(secretKey: string, url: string) {
    this.#secretKey = secretKey;
    this.#issuer = URL.canParse(url) ? new URL(url).host : 'isccd';
  }

  newNonce(): string {
    return randomBytes(NONCE_BYTES).toString('hex');
  }

  /** What the user adds to the app: the `otpauth:` address, and its secret in Base32 for typing. */
  enrolment(nonce: string, username: string): { readonly uri: string; readonly secret: string } {
    const totp = this.#totp(nonce, username);
    return { uri: totp.toString(), secret: totp.secret.base32 };
  }

  /**
   * The time step of a code, to be stored: no code is accepted twice.
   *
   * @param after step of the last accepted code
   * @returns `undefined` if the code is wrong, or not newer than the last accepted one
   */
  step(nonce: string, code: string, after: number | null): number | undefined {
    const token = code.replaceAll(/\s/g, '');
    if (!/^\d{6}$/.test(token)) return undefined;
    const timestamp = Date.now();
    const delta = this.#totp(nonce, '').validate({ token, timestamp, window: WINDOW });
    if (delta === null) return undefined;
    const step = Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
    return step > (after ?? 0) ? step : undefined;
  }

  #totp(nonce: string, label: string): TOTP {
    const key = createHmac('sha256', this.#secretKey).update(`totp ${nonce}`).digest();
    const secret = new Secret({ buffer: new Uint8Array(key.subarray(0, SECRET_BYTES)).buffer });
    return new TOTP({
      issuer: this.#issuer,
      label,
      secret,
      algorithm: 'SHA1',
      digits: 6,
      period: PERIOD_SECONDS,
    });
  }
}
