/** What a hub's HTTP answer says about a declaration. Pure, and total: any bytes from a hub give an answer. */
/** An answer as it came; `text` is at most 64 KiB. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** No answer that settles anything. */
export interface Unanswered {
  readonly type: 'unanswered';
  readonly reason: string;
  /** The hub may have done, or may still do, what it was asked for. */
  readonly uncertain: boolean;
  /** There was no HTTP answer at all: the hub is down or out of reach. */
  readonly unreachable: boolean;
}

export interface Refused {
  readonly type: 'refused';
  readonly reason: string;
}

export type DeclareAnswer =
  | { readonly type: 'accepted'; readonly isccId: string }
  /** The hub has, or had, a declaration of the same datahash: its ISCC-ID and who signed it. */
  | { readonly type: 'duplicate'; readonly existing: string | undefined; readonly actor: string | undefined }
  | { readonly type: 'nonce-used' }
  /** The note is of the other dialect. */
  | { readonly type: 'other-dialect'; readonly reason: string }
  | Refused
  | Unanswered;

export type WithdrawAnswer = { readonly type: 'withdrawn' } | Refused | Unanswered;

/** A declaration as the hub resolves it. */
export interface HubRecord {
  readonly isccId: string;
  readonly pubkey: string;
  readonly gateway: string | undefined;
}

export type LookupAnswer =
  | { readonly type: 'records'; readonly records: readonly HubRecord[] }
  /** The hub has no such route, as those of August 2025 have not. */
  | { readonly type: 'no-route' }
  | Unanswered;

/** The body of a hub's error. */
interface HubError {
  readonly message: string;
  readonly code: string;
  readonly existing: unknown;
  readonly actor: unknown;
}

const REASON_CHARS_MAX = 500;
/** 80 bits; `M` begins with the four bits of MainType ID. Hubs differ in the rest of the header. */
const ISCC_ID = /^ISCC:M[A-Z2-7]{15}$/;

export function declareAnswer({ status, text }: HttpAnswer): DeclareAnswer {
  const body = parse(text);
  if (status === 201 || status === 200) {
    const isccId = declaredId(body);
    if (isccId === undefined) return unclear(status, 'no ISCC-ID in the answer');
    return { type: 'accepted', isccId };
  }
  const error = hubError(body);
  if (error === undefined) return unclear(status, 'not a hub’s answer');
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
  // A hub without the route answers 404 too, but with a page.
  if (error === undefined) return unclear(status, 'not a hub’s answer');
  if (status >= 500 || status === 429) return unanswered(status, error);
  if (isGone(status, error)) return { type: 'withdrawn' };
  return { type: 'refused', reason: reasonOf(status, error) };
}

/** Of `GET /lookup?datahash=`: all declarations in force. */
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

/** Of `GET /{iscc_id}`: the declaration, or none if it is not in force. */
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
  return error === undefined ? unclear(status, 'not a hub’s answer') : unanswered(status, error);
}

/** Only what is known to be decided before a note is looked at leaves no doubt. */
function unanswered(status: number, error: HubError): Unanswered {
  const uncertain = status !== 429 && error.code !== 'did_unresolvable';
  return { type: 'unanswered', reason: reasonOf(status, error), uncertain, unreachable: false };
}

function unclear(status: number, reason: string): Unanswered {
  return { type: 'unanswered', reason: `${status}: ${reason}`, uncertain: true, unreachable: false };
}

/** `{"iscc_id": ...}`, or the credential of August 2025 around it. */
function declaredId(body: unknown): string | undefined {
  const inner = member(member(body, 'credentialSubject'), 'declaration');
  return isccIdOr(member(body, 'iscc_id')) ?? isccIdOr(member(inner, 'iscc_id'));
}

/** Unknown to the one, missing for the other; a `$schema` that is merely unsupported is neither. */
function isDialect({ code, message }: HubError): boolean {
  return code === 'validation_failed' && /^(unknown|missing)\b.*\$schema/i.test(message);
}

/** An ISCC-ID that differs between path and body is a 404 as well. */
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
  // Whatever a hub says is to be stored and shown.
  return `${status} ${code}: ${message}`.replace(/\p{Cc}+/gu, ' ').slice(0, REASON_CHARS_MAX);
}

/** Whether a value from a hub is an ISCC-ID in canonical form. */
export function isIsccId(value: unknown): value is string {
  return typeof value === 'string' && ISCC_ID.test(value);
}

function isccIdOr(value: unknown): string | undefined {
  return isIsccId(value) ? value : undefined;
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** `undefined` for what is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
