/** Checks the store's data folder and database, or a backup of them. Services may be running. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ManifestReader } from '../../c2pa/manifest-reader.js';
import { isNativeError } from '../../native.js';
import { blobBytes } from '../../storage/blobs/port.js';
import type { Checked, OnProblem, OnStep } from '../../storage/data/port.js';
import { StorageUnavailable } from '../../storage/data/unavailable.js';
import { type AuditHead, checkAuditChain, headText } from '../../storage/database/audit-chain.js';
import { openReadOnly, type ReadOnlyDatabase } from '../../storage/database/read-only.js';
import type { BindingRow, Db, ManifestRow } from '../../storage/database/tables.js';
import { manifestFile } from './files/folder.js';
import { type BlobPlace, openBlobs } from './files/open-blobs.js';
import { checkStoreLog } from './log/check.js';
import { storeCounts } from './manifests/counts.js';
import { INDEX_VERSION } from './manifests/judgement.js';
import type { IndexedBinding, Validator } from './validation/validator.js';

const BATCH_MANIFESTS = 500;
/** After so many files in a row that the storage did not serve, the others are not tried: each attempt takes seconds. */
const UNSERVED_MAX = 10;
/** Problems that SQLite reports per file. */
const INTEGRITY_LINES_MAX = 20;

/** A PostgreSQL dump can be read only by restoring it. The manifest of the backup has its digest. */
const NO_DATABASE =
  'rows not checked, because there is no SQLite database: to check a PostgreSQL backup, restore it, set ' +
  'DATABASE_URL and run isccd verify without a folder';

export interface StoreVerifySource extends BlobPlace {
  /** `DATABASE_URL`. */
  readonly url: string | undefined;
  /** Head of the audit log that was noted before. */
  readonly earlierHead?: AuditHead | undefined;
  /** Head of the store's log that was noted before. */
  readonly earlierLogHead?: AuditHead | undefined;
}

export async function verifyStore(
  { url, earlierHead, earlierLogHead, ...place }: StoreVerifySource,
  onProblem: OnProblem,
  onStep: OnStep,
): Promise<Checked> {
  const database = await openReadOnly(url, place.dataDir);
  if (database === undefined) return { counts: undefined, notes: [NO_DATABASE] };
  const { db, close, damages } = database;
  const files = await filesOf(place);
  try {
    for (const damage of await damages(INTEGRITY_LINES_MAX))
      onProblem(database.place, `the database file must be intact: ${damage}`);
    const check = new StoreCheck(database, files, onProblem);
    await check.run(onStep);
    const { inSnapshot } = database;
    const auditHead = headText(await inSnapshot((rows) => checkAuditChain(rows, earlierHead, onProblem)));
    const logHead = headText(await inSnapshot((rows) => checkStoreLog(rows, earlierLogHead, onProblem)));
    return { counts: await storeCounts(db), notes: check.notes, auditHead, logHead };
  } catch (error) {
    onProblem(
      database.place,
      `every row must be readable: ${error instanceof Error ? error.message : error}`,
    );
    return { counts: {}, notes: [] };
  } finally {
    await files.close();
    await close();
  }
}

/** Reads the manifests' bytes. Writes nothing, so that backups on read-only disks can be checked. */
interface ManifestFiles {
  /** Where all files are. */
  readonly place: string;
  placeOf(sha256: string): string;
  /** @throws if the file can't be read; {@link StorageUnavailable} says nothing about the file */
  read(sha256: string): Promise<Buffer>;
  close(): Promise<void>;
}

async function filesOf({ dataDir, blobsS3 }: BlobPlace): Promise<ManifestFiles> {
  if (blobsS3 === undefined) {
    const placeOf = (sha256: string) => path.join(dataDir, manifestFile(sha256));
    const read = (sha256: string) => readFile(placeOf(sha256));
    return { place: dataDir, placeOf, read, close: async () => {} };
  }
  const blobs = await openBlobs({ dataDir, blobsS3 });
  const read = async (sha256: string) => {
    const blob = await blobs.find(sha256);
    if (blob === undefined) throw new Error('missing');
    return blobBytes(blob);
  };
  const { place } = blobs;
  return { place, placeOf: (sha256) => blobs.placeOf(sha256), read, close: () => blobs.close() };
}

class StoreCheck {
  readonly #db: Db;
  readonly #inSnapshot: ReadOnlyDatabase['inSnapshot'];
  readonly #files: ManifestFiles;
  readonly #onProblem: OnProblem;
  readonly #validator: Validator = new ManifestReader(undefined).trustingNone();
  /** Files that the storage did not serve, those of them since the last that it did, and its last reason. */
  #unserved = 0;
  #unservedInRow = 0;
  #unservedReason = '';
  #unvalidated = 0;
  #outdated = 0;

  constructor({ db, inSnapshot }: ReadOnlyDatabase, files: ManifestFiles, onProblem: OnProblem) {
    this.#db = db;
    this.#inSnapshot = inSnapshot;
    this.#files = files;
    this.#onProblem = onProblem;
  }

  get notes(): string[] {
    const notes: string[] = [];
    if (this.#unvalidated > 0) {
      notes.push(
        `${this.#unvalidated} manifests are no longer valid (a certificate may have expired): bindings not compared`,
      );
    }
    if (this.#outdated > 0) {
      notes.push(
        `${this.#outdated} manifests are to be indexed again, which a running store does: bindings not compared`,
      );
    }
    return notes;
  }

  async run(onStep: OnStep): Promise<void> {
    // One snapshot for all counts: a running store changes them.
    await this.#inSnapshot((rows) => this.#checkReferences(rows));
    let after = 0;
    for (;;) {
      const manifests = await this.#manifests(after);
      if (manifests.length === 0) return this.#reportUnserved();
      after = manifests.at(-1)?.key ?? after;
      const bindings = await this.#bindings(manifests.map(({ key }) => key));
      for (const manifest of manifests) {
        await this.#check(manifest, bindings.get(manifest.key) ?? []);
        onStep();
      }
    }
  }

  /** Checks foreign rows and counts, in one statement each. */
  async #checkReferences(db: Db): Promise<void> {
    const stray = await db
      .selectFrom('bindings as b')
      .leftJoin('manifests as m', 'm.key', 'b.manifest_key')
      .select(['b.manifest_key', 'b.ordinal'])
      .where((where) => where.or([where('m.key', 'is', null), where('m.live', '=', 0)]))
      .execute();
    for (const { manifest_key, ordinal } of stray) {
      this.#onProblem(`bindings ${manifest_key}/${ordinal}`, 'a binding must belong to a live manifest');
    }
    await this.#checkKept(db);
    const counted = await db
      .selectFrom('bindings')
      .select(({ fn }) => ['alg', fn.countAll<number | string>().as('bindings')])
      .where('alternate', '=', 0)
      .groupBy('alg')
      .execute();
    const kept = await db.selectFrom('binding_counts').selectAll().where('bindings', '>', 0).execute();
    const sums = new Map(kept.map(({ alg, bindings }) => [alg, Number(bindings)]));
    for (const { alg, bindings } of counted) {
      const sum = sums.get(alg) ?? 0;
      sums.delete(alg);
      if (sum !== Number(bindings)) {
        this.#onProblem(
          `binding_counts ${alg}`,
          `it must be the number of bindings (${bindings}), but is ${sum}`,
        );
      }
    }
    for (const [alg, sum] of sums) {
      this.#onProblem(`binding_counts ${alg}`, `it must be the number of bindings (0), but is ${sum}`);
    }
  }

  /** Bindings are kept for tombstones that can be restored. */
  async #checkKept(db: Db): Promise<void> {
    const stray = await db
      .selectFrom('kept_bindings as b')
      .leftJoin('manifests as m', 'm.key', 'b.manifest_key')
      .select(['b.manifest_key', 'b.ordinal'])
      .where((where) => where.or([where('m.kept_until', 'is', null), where('m.live', '=', 1)]))
      .execute();
    for (const { manifest_key, ordinal } of stray) {
      const rule = 'a kept binding must belong to a deleted manifest that can be restored';
      this.#onProblem(`kept_bindings ${manifest_key}/${ordinal}`, rule);
    }
  }

  #manifests(after: number): Promise<(ManifestRow & { declaration: number | null })[]> {
    return this.#db
      .selectFrom('manifests as m')
      .leftJoin('declarations as d', 'd.manifest_key', 'm.key')
      .selectAll('m')
      .select('d.key as declaration')
      .where('m.key', '>', after)
      .orderBy('m.key')
      .limit(BATCH_MANIFESTS)
      .execute();
  }

  async #bindings(keys: readonly number[]): Promise<Map<number, BindingRow[]>> {
    const rows = await this.#db
      .selectFrom('bindings')
      .selectAll()
      .where('manifest_key', 'in', keys)
      .orderBy('manifest_key')
      .orderBy('ordinal')
      .execute();
    const found = new Map<number, BindingRow[]>();
    for (const row of rows) found.set(row.manifest_key, [...(found.get(row.manifest_key) ?? []), row]);
    return found;
  }

  async #check(
    manifest: ManifestRow & { declaration: number | null },
    rows: readonly BindingRow[],
  ): Promise<void> {
    const { manifest_id: id } = manifest;
    if (manifest.declaration === null) this.#onProblem(id, 'a manifest must have a declaration');
    if (manifest.live === 0) {
      if (isKept(manifest)) await this.#bytes(manifest);
      return;
    }
    const { length } = rows.filter(({ alternate }) => !alternate);
    if (manifest.binding_count !== length && (await this.#isLive(manifest.key))) {
      this.#onProblem(
        id,
        `a manifest must have the number of bindings in its row (${manifest.binding_count}), but has ${length}`,
      );
    }
    const bytes = await this.#bytes(manifest);
    if (bytes === undefined) return;
    if (manifest.index_version === INDEX_VERSION) await this.#compareBindings(manifest, bytes, rows);
    else this.#outdated += 1;
  }

  /** The file of a manifest, if it is intact. */
  async #bytes(manifest: ManifestRow): Promise<Buffer | undefined> {
    const { manifest_id: id } = manifest;
    const file = this.#files.placeOf(manifest.sha256);
    const bytes = await this.#read(manifest.sha256);
    if (bytes === undefined) return undefined;
    if (typeof bytes === 'string') {
      if (await this.#hasFile(manifest.key)) {
        this.#onProblem(id, `a manifest must have its file, but ${file} can't be read (${bytes})`);
      }
      return undefined;
    }
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (digest !== manifest.sha256 || bytes.length !== manifest.size) {
      this.#onProblem(
        id,
        `a file must have the digest and size in its row, but ${file} has ${digest}, ${bytes.length} bytes`,
      );
      return undefined;
    }
    return bytes;
  }

  /** The bytes of a file, or why it can't be read; `undefined` if the storage does not serve it. */
  async #read(sha256: string): Promise<Buffer | string | undefined> {
    try {
      if (this.#unservedInRow >= UNSERVED_MAX) throw new StorageUnavailable(this.#unservedReason);
      const bytes = await this.#files.read(sha256);
      this.#unservedInRow = 0;
      return bytes;
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) {
        this.#unservedInRow = 0;
        return shortReason(error);
      }
      this.#unserved += 1;
      this.#unservedInRow += 1;
      this.#unservedReason = error.message;
      return undefined;
    }
  }

  /** As one problem: the files may be intact. */
  #reportUnserved(): void {
    if (this.#unserved === 0) return;
    this.#onProblem(
      this.#files.place,
      `the storage must serve every file, but ${this.#unserved} could not be checked (${this.#unservedReason}); check again when it responds`,
    );
  }

  async #compareBindings(
    manifest: ManifestRow,
    bytes: Uint8Array,
    rows: readonly BindingRow[],
  ): Promise<void> {
    const report = await this.#validator.validate(bytes).catch(undefinedAtTimeout);
    if (report?.outcome !== 'accepted') {
      this.#unvalidated += 1;
      return;
    }
    const { manifest_id: id } = manifest;
    if (report.manifestId !== id) {
      this.#onProblem(id, `a file must have the id in its row, but has ${report.manifestId}`);
    } else if (report.bindings.map(inFile).join('\n') !== rows.filter(isOfFile).map(inRow).join('\n')) {
      if (await this.#isLive(manifest.key))
        this.#onProblem(id, 'the bindings of a manifest must be those in its file');
    }
  }

  /** A running store may have deleted the manifest since its row was read. */
  async #isLive(key: number): Promise<boolean> {
    const row = await this.#db
      .selectFrom('manifests')
      .select('live')
      .where('key', '=', key)
      .executeTakeFirst();
    return row?.live === 1;
  }

  /** Whether the manifest is still live, or can still be restored. */
  async #hasFile(key: number): Promise<boolean> {
    const row = await this.#db.selectFrom('manifests').selectAll().where('key', '=', key).executeTakeFirst();
    return row !== undefined && (row.live === 1 || isKept(row));
  }
}

function shortReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code || message;
}

function isKept({ kept_until }: Pick<ManifestRow, 'kept_until'>): boolean {
  return (kept_until ?? 0) > Date.now();
}

function inFile({ alg, value, units, alternate }: IndexedBinding): string {
  const searchable = units.filter((unit) => unit.searchable).map(({ iscc }) => iscc);
  const json = units.length === 0 ? null : JSON.stringify(searchable);
  return `${alg} ${value.toString('hex')} ${json} ${alternate ? 1 : 0}`;
}

function inRow({ alg, value, units, alternate }: BindingRow): string {
  return `${alg} ${value.toString('hex')} ${units} ${alternate}`;
}

function isOfFile({ added }: BindingRow): boolean {
  return added === null;
}

function undefinedAtTimeout(error: unknown): undefined {
  if (!isNativeError(error, 'TIMEOUT')) throw error;
}
