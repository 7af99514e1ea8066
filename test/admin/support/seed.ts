/** Rows of manifests as the store writes them. */
import { createHash } from 'node:crypto';
import { NO_DECLARER } from '../../../src/services/store/declarer.js';
import { fillCatalogue, type Summary } from '../../../src/storage/database/catalogue.js';
import type { Db, DeclarationStatus } from '../../../src/storage/database/tables.js';

export interface Seed {
  readonly id?: string;
  readonly isTrusted?: boolean;
  readonly isDeleted?: boolean;
  readonly status?: DeclarationStatus;
  readonly isccId?: string;
  readonly error?: string;
  readonly summary?: Summary;
  /** A declaration whose withdrawal is not finished. */
  readonly isOpen?: boolean;
  readonly alg?: string;
  readonly value?: Buffer;
}

/** 2026-06-01 12:00 UTC; each manifest follows one minute after the previous one. */
const FIRST_UPLOAD_MS = Date.UTC(2026, 5, 1, 12);
const HUB = 'https://hub.example';
const ROWS_PER_INSERT = 500;

const UNIT = 'ISCC:EADROAQCZUHCUOEBSNIG44E4WVAVXANTU4SGCY6UJSWKXQZJK35M3YY';

/** Inserts manifests with one binding and one declaration each. Returns the keys in order. */
export async function seed(db: Db, seeds: readonly Seed[]): Promise<number[]> {
  const keys: number[] = [];
  for (let at = 0; at < seeds.length; at += ROWS_PER_INSERT) {
    keys.push(...(await insert(db, seeds.slice(at, at + ROWS_PER_INSERT), at)));
  }
  const live = seeds.filter(({ isDeleted }) => !isDeleted).length;
  await db
    .insertInto('binding_counts')
    .values({ alg: 'io.iscc.v0', bindings: live })
    .onConflict((conflict) => conflict.column('alg').doUpdateSet({ bindings: live }))
    .execute();
  return keys;
}

async function insert(db: Db, seeds: readonly Seed[], offset: number): Promise<number[]> {
  const rows = await db
    .insertInto('manifests')
    .values(seeds.map((one, at) => manifest(one, offset + at)))
    .returning('key')
    .execute();
  const keys = rows.map(({ key }) => key);
  const bindings = keys.flatMap((key, at) => (seeds[at]?.isDeleted ? [] : [binding(key, seeds[at] ?? {})]));
  if (bindings.length > 0) await db.insertInto('bindings').values(bindings).execute();
  await db.transaction().execute((transaction) => fillCatalogue(transaction, keys));
  await db
    .insertInto('declarations')
    .values(keys.map((key, at) => declaration(key, seeds[at] ?? {})))
    .execute();
  return keys;
}

function manifest({ id, isTrusted = false, isDeleted = false, summary }: Seed, at: number) {
  const manifest_id = id ?? `urn:c2pa:${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const uploaded_at = FIRST_UPLOAD_MS + at * 60_000;
  return {
    manifest_id,
    sha256: createHash('sha256').update(manifest_id).digest('hex'),
    size: 12_345 + at,
    uploaded_at,
    trusted: isTrusted ? (1 as const) : (0 as const),
    uploader: createHash('sha256').update('uploader').digest('hex'),
    live: isDeleted ? (0 as const) : (1 as const),
    deleted_at: isDeleted ? uploaded_at + 1000 : null,
    binding_count: 1,
    unit_count: 1,
    summary: summary === undefined ? null : JSON.stringify(summary),
  };
}

function binding(manifest_key: number, { alg = 'io.iscc.v0', value = Buffer.from('value') }: Seed) {
  return {
    manifest_key,
    ordinal: 0,
    alg,
    value,
    units: alg === 'io.iscc.v0' ? JSON.stringify([UNIT]) : null,
  };
}

function declaration(manifest_key: number, { isDeleted = false, status = 'disabled', ...rest }: Seed) {
  const first = NO_DECLARER.initial(
    { manifestId: '', manifestUrl: '', uploadedAt: FIRST_UPLOAD_MS, bindings: [] },
    true,
  );
  const live = isDeleted ? (0 as const) : (1 as const);
  const hub = status === 'disabled' || status === 'skipped' ? null : HUB;
  return {
    ...first,
    manifest_key,
    live,
    status,
    hub,
    iscc_id: rest.isccId ?? null,
    error: rest.error ?? null,
    open: rest.isOpen ? (1 as const) : (0 as const),
  };
}
