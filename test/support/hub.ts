/**
 * A test double of an ISCC-HUB, in either dialect. It verifies signatures with independent implementations of Ed25519
 * and canonical JSON. Its log is public.
 */
import { createRequire } from 'node:module';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base32nopad, base58 } from '@scure/base';

const canonicalize = createRequire(import.meta.url)('canonicalize') as (value: unknown) => string;

export interface HubOptions {
  readonly dialect?: '0.8.0' | '2025-08';
  readonly hubId?: number;
  /** Second byte of its ISCC-IDs. Sources of 2025 write 0x11, logs write 0x10. */
  readonly idHeader?: number;
  /** Verifying takes milliseconds; tests with 100,000 runs turn it off. */
  readonly verify?: boolean;
  /** Fetches the DID document of a controller; without it, only the controller's form is checked. */
  readonly resolveDid?: (controller: string) => Promise<unknown>;
}

export interface HubRequest {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface HubResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** One entry of the hub's log. */
export interface Declaration {
  readonly isccId: string;
  readonly note: Readonly<Record<string, unknown>>;
  readonly gateway: string;
  readonly datahash: string;
  readonly pubkey: string;
  readonly at: number;
  deleted: boolean;
}

type Json = Readonly<Record<string, unknown>>;

const NOTE_SCHEMA = 'http://purl.org/iscc/schema/iscc-note-0.8.0.json';
const DELETE_SCHEMA = 'http://purl.org/iscc/schema/iscc-note-delete-0.8.0.json';
const TOLERANCE_MS = 600_000;
const BODY_BYTES_MAX = 8192;

class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly more: Json;

  constructor(status: number, code: string, message: string, more: Json = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

export class HubModel {
  readonly log: Declaration[] = [];
  readonly #nonces = new Set<string>();
  readonly #options: Required<Omit<HubOptions, 'resolveDid'>> & Pick<HubOptions, 'resolveDid'>;
  #lastUs = 0;

  constructor(options: HubOptions = {}) {
    this.#options = { dialect: '0.8.0', hubId: 1, idHeader: 0x11, verify: true, ...options };
  }

  /** Declarations that are not withdrawn. */
  inForce(gateway?: string): Declaration[] {
    return this.log.filter((entry) => !entry.deleted && (gateway === undefined || entry.gateway === gateway));
  }

  /** @param now milliseconds since 1970 */
  async handle(request: HubRequest, now = Date.now()): Promise<HubResponse> {
    try {
      return await this.#route(request, now);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { message, code, more } = error;
      return json(error.status, { error: { message, code, ...more } });
    }
  }

  async #route({ method, path, headers, body }: HubRequest, now: number): Promise<HubResponse> {
    const { pathname, searchParams } = new URL(path, 'http://hub');
    if (method === 'POST' && pathname === '/declaration') {
      return this.#declare(body, headers['x-force-declaration'] === 'true', now);
    }
    if (this.#options.dialect === '2025-08') return { status: 404, contentType: 'text/html', body: PAGE };
    const target = decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1));
    if (method === 'DELETE' && pathname.startsWith('/declaration/')) return this.#delete(body, target, now);
    if (method === 'GET' && pathname === '/lookup') {
      const datahash = searchParams.get('datahash');
      const found = this.inForce().filter((entry) => entry.datahash === datahash);
      return json(200, found.map(recordOf));
    }
    if (method === 'GET' && /^ISCC:[A-Z2-7]{16}$/.test(target)) {
      const found = this.inForce().find(({ isccId }) => isccId === target);
      if (found === undefined) throw new Refusal(404, 'not_found', `Declaration not found: ${target}`);
      return json(200, recordOf(found));
    }
    throw new Refusal(404, 'not_found', 'Not found');
  }

  async #declare(body: string, force: boolean, now: number): Promise<HubResponse> {
    const isOld = this.#options.dialect === '2025-08';
    const note = parse(body);
    const allowed = [
      'iscc_code',
      'datahash',
      'nonce',
      'timestamp',
      'gateway',
      'units',
      'metahash',
      'signature',
    ];
    checkMembers(
      note,
      isOld ? allowed : ['$schema', ...allowed],
      isOld
        ? ['iscc_code', 'datahash', 'nonce', 'timestamp', 'signature']
        : ['$schema', 'iscc_code', 'datahash', 'nonce', 'signature'],
    );
    if (!isOld && note.$schema !== NOTE_SCHEMA) refuse('validation_failed', 'Unsupported $schema', '$schema');
    if (!/^ISCC:K[A-Z2-7]{16,}$/.test(String(note.iscc_code)))
      refuse('invalid_iscc', 'Invalid ISCC code', 'iscc_code');
    if (!/^1e20[0-9a-f]{64}$/.test(String(note.datahash)))
      refuse('invalid_format', 'Invalid datahash', 'datahash');
    this.#checkNonce(note.nonce);
    checkTimestamp(note.timestamp, now);
    if (!/^https?:\/\/[^/\s]+/.test(String(note.gateway))) {
      refuse('invalid_format', 'gateway must be a valid URL or URI template', 'gateway');
    }
    if (!isOld) checkUnits(note.units);
    const pubkey = this.#checkSignature(note);
    if (!isOld) await this.#checkDid(note, pubkey);
    return this.#append(note, pubkey, force, now);
  }

  /** Synchronous, so that no other request runs between the check and the entry. */
  #append(note: Json, pubkey: string, force: boolean, now: number): HubResponse {
    const isOld = this.#options.dialect === '2025-08';
    const { nonce, datahash, gateway } = note as { nonce: string; datahash: string; gateway: string };
    const first = this.log.find((entry) => entry.datahash === datahash);
    const duplicate = () => {
      if (force || first === undefined) return;
      const existing = { existing_iscc_id: first.isccId, existing_actor: first.pubkey };
      const message = `Duplicate declaration for datahash: ${datahash}`;
      throw new Refusal(409, 'duplicate_declaration', message, { field: 'datahash', ...existing });
    };
    if (isOld) duplicate();
    if (this.#nonces.has(nonce))
      throw new Refusal(400, 'nonce_reuse', 'Nonce already used', { field: 'nonce' });
    duplicate();
    const isccId = this.#nextId(now);
    this.#nonces.add(nonce);
    this.log.push({ isccId, note, gateway, datahash, pubkey, at: now, deleted: false });
    const seq = this.log.length - 1;
    if (!isOld) return json(201, { iscc_id: isccId, seq });
    return json(201, { credentialSubject: { declaration: { seq, iscc_id: isccId, iscc_note: note } } });
  }

  async #delete(body: string, target: string, now: number): Promise<HubResponse> {
    const note = parse(body);
    const members = ['$schema', 'iscc_id', 'nonce', 'signature'];
    checkMembers(note, [...members, 'timestamp'], members);
    if (note.$schema !== DELETE_SCHEMA) refuse('validation_failed', 'Unsupported $schema', '$schema');
    this.#checkNonce(note.nonce);
    checkTimestamp(note.timestamp, now);
    const pubkey = this.#checkSignature(note);
    await this.#checkDid(note, pubkey);
    const notFound = (message: string) => new Refusal(404, 'not_found', message);
    if (note.iscc_id !== target) throw notFound(`ISCC-ID mismatch: URL ${target} != body ${note.iscc_id}`);
    const entry = this.log.find(({ isccId }) => isccId === target);
    if (entry === undefined) throw notFound(`Declaration not found: ${target}`);
    if (entry.deleted) throw notFound(`Declaration already deleted: ${target}`);
    if (entry.pubkey !== pubkey) throw new Refusal(401, 'unauthorized', 'Not authorized to delete');
    if (this.#nonces.has(String(note.nonce))) throw new Refusal(400, 'nonce_reuse', 'Nonce already used');
    this.#nonces.add(String(note.nonce));
    entry.deleted = true;
    return { status: 204, contentType: 'application/json', body: '' };
  }

  #checkNonce(nonce: unknown): void {
    if (typeof nonce !== 'string' || !/^[0-9a-f]{32}$/.test(nonce))
      refuse('invalid_hex', 'nonce must be 32 lowercase hexadecimal characters', 'nonce');
    const hubId = Number.parseInt(String(nonce).slice(0, 3), 16);
    if (hubId !== this.#options.hubId) {
      refuse(
        'nonce_mismatch',
        `Nonce hub_id mismatch: expected ${this.#options.hubId}, got ${hubId}`,
        'nonce',
      );
    }
  }

  /** Returns the public key of a valid signature. */
  #checkSignature(note: Json): string {
    const invalid = (message: string) => new Refusal(401, 'invalid_signature', message);
    const signature = note.signature as Json;
    const { version, pubkey, proof, controller, ...rest } = signature ?? {};
    if (version !== 'ISCC-SIG v1.0' || typeof pubkey !== 'string' || typeof proof !== 'string')
      throw invalid('Invalid signature');
    if (Object.keys(rest).length > 0) throw invalid('Unknown fields in signature');
    if (!this.#options.verify) return pubkey;
    const { proof: _, ...signed } = signature;
    const payload = new TextEncoder().encode(canonicalize({ ...note, signature: signed }));
    const key = base58.decode(pubkey.slice(1)).slice(2);
    if (!ed25519.verify(base58.decode(proof.slice(1)), payload, key)) throw invalid('Invalid signature');
    return pubkey;
  }

  async #checkDid(note: Json, pubkey: string): Promise<void> {
    const { controller } = note.signature as Json;
    if (typeof controller !== 'string' || !controller.startsWith('did:web:'))
      refuse('did_required', 'signature.controller must be a did:web URI', 'controller');
    if (this.#options.resolveDid === undefined) return;
    const document = await this.#options.resolveDid(String(controller)).catch(() => undefined);
    const { id, verificationMethod } = (document ?? {}) as { id?: string; verificationMethod?: Json[] };
    if (id !== controller) throw new Refusal(503, 'did_unresolvable', `Could not resolve ${controller}`);
    const isAuthorized = verificationMethod?.some(
      (method) => method.controller === controller && method.publicKeyMultibase === pubkey,
    );
    if (!isAuthorized) refuse('did_unauthorized', 'The key is not authorized', 'controller');
  }

  #nextId(now: number): string {
    this.#lastUs = Math.max(now * 1000, this.#lastUs + 1);
    const bytes = new Uint8Array(10);
    bytes.set([0x60, this.#options.idHeader]);
    new DataView(bytes.buffer).setBigUint64(2, (BigInt(this.#lastUs) << 12n) | BigInt(this.#options.hubId));
    return `ISCC:${base32nopad.encode(bytes)}`;
  }
}

const PAGE = '<!DOCTYPE html>\n<html lang="en"><title>Not found</title></html>';

function parse(body: string): Json {
  if (Buffer.byteLength(body) > BODY_BYTES_MAX) refuse('invalid_length', 'Request body exceeds maximum size');
  try {
    return JSON.parse(body) as Json;
  } catch {
    throw new Refusal(422, 'invalid_format', 'Invalid JSON in request body');
  }
}

function checkMembers(note: Json, allowed: readonly string[], required: readonly string[]): void {
  const unknown = Object.keys(note).filter((name) => !allowed.includes(name));
  if (unknown.length > 0) refuse('validation_failed', `Unknown fields not allowed: ${unknown.join(', ')}`);
  const missing = required.find((name) => !Object.hasOwn(note, name));
  if (missing !== undefined) refuse('validation_failed', `Missing required field: ${missing}`, missing);
}

function checkTimestamp(timestamp: unknown, now: number): void {
  if (timestamp === undefined) return;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(timestamp)))
    refuse('invalid_format', 'timestamp must be RFC 3339 with milliseconds', 'timestamp');
  if (Math.abs(Date.parse(String(timestamp)) - now) > TOLERANCE_MS)
    refuse('timestamp_out_of_range', 'timestamp is outside the 600 second tolerance', 'timestamp');
}

function checkUnits(units: unknown): void {
  if (!Array.isArray(units)) refuse('validation_failed', 'units is required by server policy', 'units');
  for (const unit of units as unknown[]) {
    // 2 bytes of header and 32 bytes of body.
    if (base32nopad.decode(String(unit).slice('ISCC:'.length)).length !== 34)
      refuse('invalid_length', 'unit must be 256-bit', 'units');
  }
}

function recordOf({ isccId, note, gateway, datahash, pubkey }: Declaration): Json {
  return { iscc_id: isccId, iscc_code: note.iscc_code, datahash, pubkey, gateway };
}

function refuse(code: string, message: string, field?: string): never {
  throw new Refusal(422, code, message, field === undefined ? {} : { field });
}

function json(status: number, value: unknown): HubResponse {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}
