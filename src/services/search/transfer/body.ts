/** Content codings of bodies that add assets. */
import type { BodyStream } from '../../../http/routing/route.js';
import { SearchRefusal } from '../errors.js';
import { decoded, ENCODINGS, type Encoding } from './decode.js';

/**
 * The bytes of a body without its content coding.
 *
 * @throws {SearchRefusal} if the coding is unknown
 */
export function decodedBody(body: BodyStream, coding: string | undefined): AsyncIterable<Uint8Array> {
  const name = coding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return body;
  const encoding = name === 'x-gzip' ? 'gzip' : name;
  if (!(ENCODINGS as readonly string[]).includes(encoding)) throw new SearchRefusal('UNKNOWN_CODING');
  return decoded(body, encoding as Encoding);
}
