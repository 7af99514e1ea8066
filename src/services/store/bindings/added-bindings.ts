/**
 * Bindings that a publisher adds to a stored manifest, for assets whose manifest does not name its watermark. They are rows of
 * `bindings` after those of the file, so that queries, deletes and restores treat both alike.
 */
import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import { decodeValue, queryUnits } from '../../../c2pa/binding-query.js';
import { ALGORITHM_FORM } from '../../../c2pa/content-query.js';
import { ISCC_ALGORITHM } from '../../../c2pa/documents.js';
import { decomposeCode } from '../../../iscc/codec.js';
import { isNativeError, native } from '../../../native.js';
import { type Actor, type AuditEntry, recordAudit } from '../../../storage/database/audit.js';
import type { BindingRow, Tables } from '../../../storage/database/tables.js';
import { declarableContent } from '../declarations/declared-content.js';
import type { NewDeclaration } from '../declarer.js';
import { StoreRefusal } from '../errors.js';
import { holdFeed, lockFeed, recordChanges } from '../feed.js';
import {
  addToCounts,
  bindingRow,
  countBindings,
  subtractFromCounts,
  unitsInRows,
} from '../manifests/binding-rows.js';
import type { Commits } from '../manifests/commits.js';
import type { IndexedBinding } from '../validation/validator.js';

/** Far above the rows of a file. */
const FIRST_ORDINAL = 1_000_000;

/** How many bindings a manifest can have, as the validator limits those of a file: in all, of ISCCs, and searchable units. */
const BINDINGS_MAX = 64;
const ISCC_BINDINGS_MAX = 8;
const UNITS_MAX = 32;

const UNNAMED = `alg is required, because bindingValue is not an ISCC in text form`;
const FORM =
  'alg must have the form of the names on the C2PA list of soft-binding algorithms, such as com.adobe.trustmark.P';

/**
 * The binding that a request describes. Without an algorithm, the value must be an ISCC as text, `ISCC:...`; otherwise it is
 * Base64, or such a text for `io.iscc.v0`.
 *
 * @throws {BindingQueryInvalid} if the value is not Base64, or cannot be searched
 * @throws {StoreRefusal} if another rule is broken
 */
export function requestedBinding(alg: string | undefined, text: string): IndexedBinding {
  const iscc = alg === undefined || alg === ISCC_ALGORITHM ? valueOfText(text) : undefined;
  if (alg === undefined && iscc === undefined) throw invalid(UNNAMED);
  const name = alg ?? ISCC_ALGORITHM;
  if (!ALGORITHM_FORM.test(name)) throw invalid(FORM);
  const value = iscc ?? decodeValue(text, 'bindingValue');
  if (value.length === 0) throw invalid('bindingValue is empty');
  return { alg: name, value, units: name === ISCC_ALGORITHM ? unitsOf(value) : [] };
}

/** The value of an ISCC in text form; `undefined` for any other text. */
function valueOfText(text: string): Buffer | undefined {
  if (!/^iscc:/i.test(text)) return undefined;
  try {
    return native.encodeSeq(decomposeCode(text));
  } catch (error) {
    if (!isNativeError(error, 'INVALID_ARGUMENT')) throw error;
    throw invalid(`bindingValue is not a valid ISCC: ${error.message}`);
  }
}

/**
 * All units of an `io.iscc.v0` value, each once.
 *
 * @throws {BindingQueryInvalid} if a query by the value would be refused
 */
function unitsOf(value: Buffer): IndexedBinding['units'] {
  queryUnits(value, 'bindingValue');
  const units = native.decodeIsccSeq(value);
  return [...new Map(units.map((unit) => [unit.iscc, unit])).values()];
}

/** The manifest to bind a value to, and who wants it. */
export interface Addition {
  readonly key: number;
  readonly manifestId: string;
  readonly binding: IndexedBinding;
  readonly actor: Actor;
  /** If it is set, only manifests of this publisher are changed. */
  readonly publisher: string | undefined;
  /** First state of a declaration of the binding. */
  readonly declaration: NewDeclaration;
}

/**
 * Adds a binding to a live manifest. One that the manifest has already changes nothing.
 *
 * @returns keys of the changed manifests
 * @throws {StoreRefusal} if the manifest is not live, or would have too many bindings
 */
export function addBinding(commits: Commits, addition: Addition): Promise<number[]> {
  return commits.run(async (transaction) => {
    await holdFeed(transaction);
    const isAdded = await insertAdded(transaction, addition);
    if (!isAdded) return [];
    const { actor, manifestId, binding } = addition;
    await changed(transaction, [addition.key]);
    const entry = { action: 'binding-added', subject: manifestId, after: described(binding) } as const;
    await recordAudit(transaction, actor, [entry]);
    return [addition.key];
  });
}

/**
 * Binds a value to this manifest instead of those that it was added to.
 *
 * @returns keys of the changed manifests
 * @throws {StoreRefusal} like {@link addBinding}, and if the value was added to no live manifest of the publisher
 */
export function moveBinding(commits: Commits, addition: Addition): Promise<number[]> {
  return commits.run(async (transaction) => {
    await holdFeed(transaction);
    const holders = await holdersOf(transaction, addition);
    const from = holders.filter(({ key }) => key !== addition.key);
    if (from.length === 0) return [];
    const { actor, manifestId, binding } = addition;
    await deleteAdded(
      transaction,
      from.map(({ key }) => key),
      binding,
    );
    const isAdded = await insertAdded(transaction, addition);
    const keys = [...from.map(({ key }) => key), ...(isAdded ? [addition.key] : [])];
    await changed(transaction, keys);
    const after = { manifestId, ...described(binding) };
    const entries = from.map(
      (holder): AuditEntry => ({
        action: 'binding-moved',
        subject: holder.manifestId,
        before: { manifestId: holder.manifestId },
        after,
      }),
    );
    await recordAudit(transaction, actor, entries);
    return keys;
  });
}

/** Returns `false` if the manifest has the binding already. */
async function insertAdded(transaction: Transaction<Tables>, addition: Addition): Promise<boolean> {
  const { key, binding, declaration } = addition;
  const live = await transaction
    .selectFrom('manifests')
    .select('key')
    .where('key', '=', key)
    .where('live', '=', 1)
    .executeTakeFirst();
  // Deleted since the request looked it up.
  if (live === undefined) throw new StoreRefusal('MANIFEST_DELETED');
  const rows = await transaction
    .selectFrom('bindings')
    .selectAll()
    .where('manifest_key', '=', key)
    .orderBy('ordinal')
    .execute();
  const isKnown = rows.some(({ alg, value }) => alg === binding.alg && binding.value.equals(value));
  if (isKnown) return false;
  checkLimits(rows, binding);
  const ordinal = Math.max(FIRST_ORDINAL, (rows.at(-1)?.ordinal ?? 0) + 1);
  await transaction
    .insertInto('bindings')
    .values({ ...bindingRow(key, ordinal, binding), added: digestOf(binding) })
    .execute();
  await addToCounts(transaction, [binding]);
  await declareAdded(transaction, key, rows, declaration);
  return true;
}

/** @throws {StoreRefusal} if the manifest would have more than a file may have */
function checkLimits(rows: readonly BindingRow[], { alg, units }: IndexedBinding): void {
  const blocks = rows.filter(({ alternate }) => alternate === 0);
  if (blocks.length >= BINDINGS_MAX) throw tooMany(`${BINDINGS_MAX} bindings`);
  if (alg !== ISCC_ALGORITHM) return;
  const iscc = blocks.filter((row) => row.alg === ISCC_ALGORITHM);
  if (iscc.length >= ISCC_BINDINGS_MAX) throw tooMany(`${ISCC_BINDINGS_MAX} bindings of ${ISCC_ALGORITHM}`);
  const searchable = units.filter((unit) => unit.searchable).map(({ iscc: text }) => text);
  const all = new Set([...unitsInRows(rows), ...searchable]);
  if (all.size > UNITS_MAX) throw tooMany(`${UNITS_MAX} different searchable ISCC-UNITs`);
}

/**
 * Declares a manifest whose file has nothing to declare. One whose file has, and that is not declared, was not to be.
 *
 * A declaration that was ever sent stays as it is: it is in force until its manifest is deleted.
 */
async function declareAdded(
  transaction: Transaction<Tables>,
  key: number,
  rows: readonly BindingRow[],
  declaration: NewDeclaration,
): Promise<void> {
  const own = rows.filter(({ alg, added }) => alg === ISCC_ALGORITHM && added === null);
  const units = own.map(({ value }) => ({ units: native.decodeIsccSeq(value) }));
  if (declaration.status !== 'pending' || declarableContent(units) !== undefined) return;
  await transaction
    .updateTable('declarations')
    .set(declaration)
    .where('manifest_key', '=', key)
    .where('status', 'in', ['skipped', 'disabled'])
    .where('fields', 'is', null)
    .where('uncertainty', 'is', null)
    .where('lease', 'is', null)
    .execute();
}

interface Holder {
  readonly key: number;
  readonly manifestId: string;
}

/** The live manifests that the value was added to. */
async function holdersOf(
  transaction: Transaction<Tables>,
  { binding, publisher }: Addition,
): Promise<Holder[]> {
  const rows = await transaction
    .selectFrom('bindings as b')
    .innerJoin('manifests as m', 'm.key', 'b.manifest_key')
    .select(['m.key', 'm.manifest_id as manifestId', 'm.publisher'])
    .where('b.added', '=', digestOf(binding))
    .where('b.alg', '=', binding.alg)
    .where('m.live', '=', 1)
    .orderBy('m.key')
    .execute();
  if (rows.length === 0) throw new StoreRefusal('BINDING_NOT_FOUND');
  const own = rows.filter((row) => publisher === undefined || row.publisher === publisher);
  if (own.length === 0) throw new StoreRefusal('NOT_OWNER');
  return own;
}

async function deleteAdded(
  transaction: Transaction<Tables>,
  keys: readonly number[],
  binding: IndexedBinding,
): Promise<void> {
  const removed = await transaction
    .deleteFrom('bindings')
    .where('manifest_key', 'in', keys)
    .where('added', '=', digestOf(binding))
    .where('alg', '=', binding.alg)
    .returning(['alg', 'alternate'])
    .execute();
  await subtractFromCounts(transaction, removed);
}

async function changed(transaction: Transaction<Tables>, keys: readonly number[]): Promise<void> {
  for (const key of keys) await countBindings(transaction, key);
  await recordChanges(transaction, await lockFeed(transaction, keys.length), keys, 1);
}

function digestOf({ value }: IndexedBinding): string {
  return createHash('sha256').update(value).digest('hex');
}

/** For the audit log: values may be long. */
function described(binding: IndexedBinding): { alg: string; valueSha256: string } {
  return { alg: binding.alg, valueSha256: digestOf(binding) };
}

function invalid(detail: string): StoreRefusal {
  return new StoreRefusal('BAD_REQUEST', { detail });
}

function tooMany(what: string): StoreRefusal {
  return invalid(`A manifest can have ${what}, and this one has them: bind the value to another manifest`);
}
