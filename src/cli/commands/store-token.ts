/** `isccd store token ...`: upload tokens of publishers, whether the store runs or not. */
import { TokenRefused, type UploadToken, UploadTokens } from '../../services/store/tokens/upload-tokens.js';
import { commandActor } from '../input/actor.js';
import { withStoreDatabase } from '../input/store-database.js';
import { CommandFailed } from '../terminal/failure.js';

const DAY_MS = 24 * 60 * 60 * 1000;

interface ResultOptions {
  readonly json?: boolean;
}

export interface AddOptions extends ResultOptions {
  readonly scope?: readonly string[];
  readonly days?: string;
}

/** Prints the token. It is shown only once. */
export async function add(publisher: string, { scope, days, json }: AddOptions): Promise<void> {
  const expiresAt = days === undefined ? undefined : Date.now() + daysOf(days) * DAY_MS;
  const wanted = { publisher, expiresAt, ...(scope && { scopes: scope }) };
  const created = await using((tokens) => tokens.create(wanted, commandActor()), { creates: true });
  process.stderr.write(`isccd: token ${created.key} of ${created.publisher} created
`);
  process.stdout.write(`${json ? JSON.stringify(created) : created.token}\n`);
}

export async function list({ json }: ResultOptions): Promise<void> {
  const tokens = await using((all) => all.list());
  for (const token of tokens) process.stdout.write(`${json ? JSON.stringify(token) : line(token)}\n`);
}

export async function revoke(number: string, { json }: ResultOptions): Promise<void> {
  if (!/^\d{1,15}$/.test(number)) {
    throw new CommandFailed(
      `${JSON.stringify(number)} must be the number of a token, from isccd store token list`,
    );
  }
  const revoked = await using((tokens) => tokens.revoke(Number(number), commandActor()));
  process.stderr.write(`isccd: token ${revoked.key} of ${revoked.publisher} revoked\n`);
  if (json) process.stdout.write(`${JSON.stringify(revoked)}\n`);
}

function daysOf(text: string): number {
  const days = Number(text);
  if (/^\d{1,5}$/.test(text) && days > 0) return days;
  throw new CommandFailed(`--days ${JSON.stringify(text)} must be a number of days, 1 to 99999`);
}

function line({ key, publisher, scopes, createdAt, expiresAt, revokedAt, usedAt }: UploadToken): string {
  const state = revokedAt !== undefined ? 'revoked' : isPast(expiresAt) ? 'expired' : 'valid';
  const times = [
    `created ${day(createdAt)}`,
    ...(expiresAt === undefined ? [] : [`expires ${day(expiresAt)}`]),
    usedAt === undefined ? 'never used' : `used ${day(usedAt)}`,
  ];
  return `${String(key).padStart(4)}  ${publisher.padEnd(24)} ${state.padEnd(7)}  ${scopes.join(',')}  ${times.join('  ')}`;
}

function isPast(time: number | undefined): boolean {
  return time !== undefined && time <= Date.now();
}

function day(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

async function using<T>(
  work: (tokens: UploadTokens) => Promise<T>,
  options?: { readonly creates: boolean },
): Promise<T> {
  return withStoreDatabase(async ({ db }) => {
    try {
      return await work(new UploadTokens(db));
    } catch (error) {
      throw error instanceof TokenRefused ? new CommandFailed(error.message) : error;
    }
  }, options);
}
