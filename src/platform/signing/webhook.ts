/** Signatures of webhooks, in the form of the Standard Webhooks specification: https://www.standardwebhooks.com */
import { createHmac } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

/** The key in a secret, `whsec_` and 24 to 64 bytes in Base64; `undefined` for any other text. */
export function webhookKey(secret: string): Buffer | undefined {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length >= SECRET_BYTES_MIN && key.length <= SECRET_BYTES_MAX ? key : undefined;
}

/** 32 bytes that only the holder of the store's secret key can compute, so that no database has them. */
export function derivedKey(secretKey: string, nonce: string): Buffer {
  return createHmac('sha256', secretKey).update(`webhook ${nonce}`).digest();
}

/** The secret with a key, as receivers get it. */
export function webhookSecret(key: Buffer): string {
  return SECRET_PREFIX + key.toString('base64');
}

/**
 * Headers of a delivery. The signature is HMAC-SHA-256 of event id, time and body, joined by full stops.
 *
 * @param seconds time of the attempt since the epoch
 */
export function signedHeaders(
  key: Buffer,
  id: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
