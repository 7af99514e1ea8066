/** Reads request bodies: limits first, then bytes, then parsing. */

import { declaredLength, type RequestHead } from '../head/head.js';
import { RequestRefused } from '../reply/errors.js';
import type { BodySpec, LengthRules } from '../routing/route.js';
import type { Refusal } from '../routing/service.js';
import type { Exchange } from '../transport/transport.js';
import type { BodyShare } from './body-budget.js';
import { BodyInbox } from './body-inbox.js';
import { parseQuery, type Query } from './query.js';

/** Refuses a body by its declared length. */
export function lengthRefusal(
  spec: LengthRules,
  head: RequestHead,
  transportBytesMax: number,
): Refusal | undefined {
  const declared = declaredLength(head);
  const bytesMax = Math.min(spec.bytesMax, transportBytesMax);
  if (declared === undefined) return spec.lengthRequired ? { kind: 'length-required' } : undefined;
  return declared > bytesMax ? { kind: 'body-too-large', bytesMax } : undefined;
}

/** Refuses a body by the other headers, before it is read. */
export function contentRefusal(spec: BodySpec, head: RequestHead): Refusal | undefined {
  const isEmpty = declaredLength(head) === 0;
  const accepted = acceptedTypes(spec);
  if (isEmpty && !spec.typeFirst) return isRequired(spec) ? { kind: 'body-empty', accepted } : undefined;
  if (accepted !== undefined && !accepted.includes(mediaType(head))) {
    return { kind: 'media-type', accepted };
  }
  if (isEmpty) return isRequired(spec) ? { kind: 'body-empty', accepted } : undefined;
  return spec.decodes ? undefined : codingRefusal(head);
}

/** The encoded bytes would be taken for the content, such as a compressed picture for a file of another type. */
function codingRefusal(head: RequestHead): Refusal | undefined {
  const coding = head.headers.get('content-encoding') ?? '';
  if (/^(?:identity)?$/i.test(coding)) return undefined;
  const message = 'Content-Encoding must be absent or identity; send the body without compression';
  const path = ['content-encoding'];
  return { kind: 'invalid', violations: [{ where: 'headers', path, message, input: coding }] };
}

/** Refuses a body that is kept whole if there is no memory for its declared length. */
export function memoryRefusal(share: BodyShare | undefined, head: RequestHead): Refusal | undefined {
  return share?.grow(declaredLength(head) ?? 0) === false ? { kind: 'memory-full' } : undefined;
}

/** Starts to receive a body. Call it in the exchange's first turn. */
export function openBody(spec: BodySpec, exchange: Exchange, share?: BodyShare): BodyInbox {
  return new BodyInbox(exchange, {
    declaredBytes: declaredLength(exchange.head),
    bytesMax: spec.bytesMax,
    required: isRequired(spec),
    accepted: acceptedTypes(spec),
    share,
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON body; `undefined` for an empty body that is not required.
 *
 * @throws {RequestRefused} if the bytes are not UTF-8 or not JSON
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const message = error instanceof SyntaxError ? error.message : 'not valid UTF-8';
    throw new RequestRefused({ kind: 'body-not-json', message });
  }
}

/** Parses the fields of a posted form. Never fails, like the URL standard's parser. */
export function parseForm(bytes: Uint8Array): Query {
  return parseQuery(new TextDecoder().decode(bytes));
}

/** Allowed media types of a body; `undefined` allows any. */
export function acceptedTypes({ contentTypes, kind }: BodySpec): readonly string[] | undefined {
  return contentTypes ?? (kind === 'form' ? [FORM_TYPE] : undefined);
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

function isRequired(spec: BodySpec): boolean {
  return spec.required ?? spec.kind === 'json';
}

function mediaType(head: RequestHead): string {
  const [type = ''] = (head.headers.get('content-type') ?? '').split(';', 1);
  return type.trim().toLowerCase();
}
