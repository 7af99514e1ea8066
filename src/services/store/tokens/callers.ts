/** Who sends a request: the operator, a publisher, or an anonymous client. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request } from '../../../http/routing/route.js';
import { StoreRefusal } from '../errors.js';
import { type Scope, TOKEN_PREFIX, type UploadTokens } from './upload-tokens.js';

export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'publisher'; readonly publisher: string; readonly scopes: readonly Scope[] };

/** The publisher to whom a request is limited; `undefined` for others. */
export function publisherOf(caller: Caller): string | undefined {
  return caller.kind === 'publisher' ? caller.publisher : undefined;
}

export interface CallersOptions {
  /** SHA-256 of the operator's token, in hex; `undefined`: no operator. */
  readonly operatorTokenSha256: string | undefined;
  /** Whether uploads need a token. */
  readonly uploadTokens: 'optional' | 'required';
}

const ANONYMOUS: Caller = { kind: 'anonymous' };

export class Callers {
  readonly #tokens: UploadTokens;
  readonly #options: CallersOptions;
  /** Guards look up the caller before handlers need it. */
  readonly #known = new WeakMap<object, Caller>();

  constructor(tokens: UploadTokens, options: CallersOptions) {
    this.#tokens = tokens;
    this.#options = options;
  }

  /**
   * The sender of an upload. Without the requirement of tokens, credentials of other systems are ignored.
   *
   * @throws {StoreRefusal} for an invalid upload token, or a missing one if it is required
   */
  async uploader(request: Request): Promise<Caller> {
    const caller = await this.#caller(request);
    const isToken = tokenOf(request)?.startsWith(TOKEN_PREFIX) ?? false;
    if (caller.kind === 'anonymous' && (isToken || this.#options.uploadTokens === 'required')) {
      throw new StoreRefusal('TOKEN_INVALID');
    }
    return permitted(caller, 'store:manifests');
  }

  /** The sender of a request that needs a token. @throws {StoreRefusal} without a valid one, or without the scope */
  async authorized(request: Request, scope: Scope): Promise<Caller> {
    const caller = await this.#caller(request);
    if (caller.kind === 'anonymous') {
      throw new StoreRefusal(scope === 'delete:manifests' ? 'UNAUTHORIZED' : 'TOKEN_INVALID');
    }
    return permitted(caller, scope);
  }

  /** Compares in memory, without a look at the database. */
  isOperator(request: Request): boolean {
    const token = tokenOf(request);
    return token !== undefined && isOperator(this.#options.operatorTokenSha256, token);
  }

  async #caller(request: Request): Promise<Caller> {
    const known = this.#known.get(request);
    if (known !== undefined) return known;
    const caller = await this.#identify(tokenOf(request));
    this.#known.set(request, caller);
    return caller;
  }

  async #identify(token: string | undefined): Promise<Caller> {
    if (token === undefined) return ANONYMOUS;
    if (isOperator(this.#options.operatorTokenSha256, token)) return { kind: 'operator' };
    const found = await this.#tokens.verify(token);
    if (found === undefined) return ANONYMOUS;
    return { kind: 'publisher', publisher: found.publisher, scopes: found.scopes };
  }
}

function permitted(caller: Caller, scope: Scope): Caller {
  if (caller.kind !== 'publisher' || caller.scopes.includes(scope)) return caller;
  throw new StoreRefusal('SCOPE_MISSING', { detail: `The upload token lacks the scope ${scope}` });
}

function tokenOf(request: Request): string | undefined {
  return /^bearer +(\S.*)$/i.exec(request.header('authorization') ?? '')?.[1];
}

function isOperator(sha256: string | undefined, token: string): boolean {
  if (sha256 === undefined) return false;
  const given = createHash('sha256').update(token).digest();
  return timingSafeEqual(given, Buffer.from(sha256, 'hex'));
}
