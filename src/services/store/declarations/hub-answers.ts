/** Interprets a hub's HTTP responses. Pure and total: any bytes from a hub give a result. */
import { isIsccId } from '../../../iscc/iscc-id.js';
import { member } from '../../../platform/member.js';

/** A response. `text` has at most 64 KiB. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** A response that decides nothing, or no response. */
export interface Unanswered {
  readonly type: 'unanswered';
  readonly reason: string;
  /** The hub may have performed the request, or may still perform it. */
  readonly uncertain: boolean;
  /** There was no HTTP response: the hub is down or unreachable. */
  readonly unreachable: boolean;
}

export interface HubRefusal {
  readonly type: 'refused';
  readonly reason: string;
}

export type DeclareAnswer =
  | { readonly type: 'accepted'; readonly isccId: string }
  /** The hub has or had a declaration of the same datahash, with this ISCC-ID and signer. */
  | { readonly type: 'duplicate'; readonly existing: string | undefined; readonly actor: string | undefined }
  | { readonly type: 'nonce-used' }
  /** The hub speaks the other dialect. */
  | { readonly type: 'other-dialect'; readonly reason: string }
  | HubRefusal
  | Unanswered;

export type WithdrawAnswer = { readonly type: 'withdrawn' } | HubRefusal | Unanswered;

/** A declaration as the hub returns it. */
export interface HubRecord {
  readonly isccId: string;
  readonly pubkey: string;
  readonly gateway: string | undefined;
}

export type LookupAnswer =
  | { readonly type: 'records'; readonly records: readonly HubRecord[] }
  /** The hub does not have the route. Hubs of August 2025 do not. */
  | { readonly type: 'no-route' }
  | Unanswered;

/** Body of a hub's error response. */
interface HubError {
  readonly message: string;
  readonly code: string;
  readonly existing: unknown;
  readonly actor: unknown;
}

const REASON_CHARS_MAX = 500;

export function declareAnswer({ status, text }: HttpAnswer): DeclareAnswer {
  const body = parse(text);
  if (status === 201 || status === 200) {
    const isccId = declaredId(body);
    if (isccId === undefined) return unclear(status, 'no ISCC-ID in the response');
    return { type: 'accepted', isccId };
  }
  const error = hubError(body);
  if (error === undefined) return unclear(status, 'not a hub’s response');
  if (status >= 500 || status === 429) return unanswered(status, error);
  if (error.code === 'duplicate_declaration') {
    return { type: 'duplicate', existing: isccIdOr(error.existing), actor: textOr(error.actor) };
  }
  if (error.code === 'nonce_reuse') return { type: 'nonce-used' };
  const reason = reasonOf(status, error);
  if (isDialect(error)) return { type: 'other-dialect', reason };
  return status >= 400 ? { type: 'refused', reason } : unclear(status, reason);
}

export function withdrawAnswer({ status, text }: HttpAnswer): WithdrawAnswer {
  if (status === 204) return { type: 'withdrawn' };
  const error = hubError(parse(text));
  // A hub without the route also answers 404, but with an HTML page.
  if (error === undefined) return unclear(status, 'not a hub’s response');
  if (status >= 500 || status === 429) return unanswered(status, error);
  if (isGone(status, error)) return { type: 'withdrawn' };
  return { type: 'refused', reason: reasonOf(status, error) };
}

/** Result of `GET /lookup?datahash=`: all declarations in force. */
export function lookupAnswer({ status, text }: HttpAnswer): LookupAnswer {
  const body = parse(text);
  const error = hubError(body);
  if (status === 200 && Array.isArray(body)) {
    const records = body.map(record).filter((entry) => entry !== undefined);
    if (records.length === body.length) return { type: 'records', records };
  }
  if (error !== undefined && isGone(status, error) && /datahash|declaration/i.test(error.message))
    return { type: 'records', records: [] };
  return notListed(status, error);
}

/** Result of `GET /{iscc_id}`: the declaration, or an empty list if it is not in force. */
export function resolveAnswer({ status, text }: HttpAnswer): LookupAnswer {
  const body = parse(text);
  const found = status === 200 ? record(body) : undefined;
  if (found !== undefined) return { type: 'records', records: [found] };
  const error = hubError(body);
  if (error !== undefined && isGone(status, error)) return { type: 'records', records: [] };
  return notListed(status, error);
}

function notListed(status: number, error: HubError | undefined): LookupAnswer {
  if (status === 404 || status === 405 || status === 501) return { type: 'no-route' };
  return error === undefined ? unclear(status, 'not a hub’s response') : unanswered(status, error);
}

/** Only errors that hubs report before they read the note are certain. */
function unanswered(status: number, error: HubError): Unanswered {
  const uncertain = status !== 429 && error.code !== 'did_unresolvable';
  return { type: 'unanswered', reason: reasonOf(status, error), uncertain, unreachable: false };
}

function unclear(status: number, reason: string): Unanswered {
  return { type: 'unanswered', reason: `${status}: ${reason}`, uncertain: true, unreachable: false };
}

/** ISCC-ID in `{"iscc_id": ...}`, or in the credential that hubs of August 2025 return. */
function declaredId(body: unknown): string | undefined {
  const inner = member(member(body, 'credentialSubject'), 'declaration');
  return isccIdOr(member(body, 'iscc_id')) ?? isccIdOr(member(inner, 'iscc_id'));
}

/** One dialect refuses `$schema` as unknown, the other as missing. An unsupported `$schema` is a different error. */
function isDialect({ code, message }: HubError): boolean {
  return code === 'validation_failed' && /^(unknown|missing)\b.*\$schema/i.test(message);
}

/** Requires the message as well: an ISCC-ID that differs between path and body is a 404 too. */
function isGone(status: number, { code, message }: HubError): boolean {
  return status === 404 && code === 'not_found' && /already deleted|not found/i.test(message);
}

function record(value: unknown): HubRecord | undefined {
  const [isccId, pubkey] = [isccIdOr(member(value, 'iscc_id')), textOr(member(value, 'pubkey'))];
  if (isccId === undefined || pubkey === undefined) return undefined;
  return { isccId, pubkey, gateway: textOr(member(value, 'gateway')) };
}

function hubError(body: unknown): HubError | undefined {
  const error = member(body, 'error');
  const [message, code] = [textOr(member(error, 'message')), textOr(member(error, 'code'))];
  if (code === undefined) return undefined;
  return {
    message: message ?? '',
    code,
    existing: member(error, 'existing_iscc_id'),
    actor: member(error, 'existing_actor'),
  };
}

function reasonOf(status: number, { code, message }: HubError): string {
  // The text of a hub is stored and shown.
  return `${status} ${code}: ${message}`.replace(/\p{Cc}+/gu, ' ').slice(0, REASON_CHARS_MAX);
}

function isccIdOr(value: unknown): string | undefined {
  return isIsccId(value) ? value : undefined;
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `undefined` if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
