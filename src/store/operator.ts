/** Who may delete over HTTP: who knows the operator's token. The store knows only its digest. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Refused } from './errors.js';

/**
 * @param sha256 of the token in hex; `undefined`: nobody may
 * @param authorization the request's header
 * @throws {Refused} without the right token
 */
export function checkOperator(sha256: string | undefined, authorization: string | undefined): void {
  const token = /^bearer +(\S.*)$/i.exec(authorization ?? '')?.[1];
  if (sha256 === undefined || token === undefined) throw new Refused('UNAUTHORIZED');
  const given = createHash('sha256').update(token).digest();
  if (!timingSafeEqual(given, Buffer.from(sha256, 'hex'))) throw new Refused('UNAUTHORIZED');
}
