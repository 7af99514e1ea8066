/** `isccd verify-evidence`: checks the file that the console saves for a match, without a connection to its server. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { ManifestReader } from '../../c2pa/manifest-reader.js';
import { trustListsOf } from '../../c2pa/trust-lists.js';
import { decomposeCode } from '../../iscc/codec.js';
import { isIsccId } from '../../iscc/iscc-id.js';
import { native } from '../../native.js';
import { BUNDLED_TRUST_ANCHORS } from '../../platform/config/trust-list.js';
import { printable } from '../../platform/printable.js';
import { canonicalize, type Json } from '../../platform/signing/jcs.js';
import { RECEIPT_TYPE } from '../../services/store/schema.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, reason } from '../terminal/failure.js';
import { unitsOfFiles } from './compare.js';
import { receiptIn, signatureProblem, type TrustedKeys } from './store-receipt.js';

export interface EvidenceOptions extends TrustedKeys {
  /** The file that was searched for. */
  readonly file?: string;
  readonly json?: boolean;
}

const units = z.array(z.string().max(100)).max(100);
const evidence = z.looseObject({
  format: z.literal('isccd-evidence-1'),
  createdAt: z.string(),
  service: z.object({ url: z.string(), version: z.string() }),
  query: z.looseObject({ iscc: z.string().optional(), units }),
  match: z.looseObject({ index: z.string(), isccId: z.string(), iscc: z.string().optional(), units }),
  comparison: z.array(z.object({ type: z.string(), bits: z.number(), differing: z.number() })).max(100),
  manifests: z
    .array(
      z.looseObject({
        manifestId: z.string(),
        credentials: z.looseObject({ state: z.string() }).optional(),
        sha256: z.string(),
        bytes: z.base64(),
        receipt: z.unknown().optional(),
      }),
    )
    .max(100),
  digest: z.string(),
});
type Evidence = z.infer<typeof evidence>;

/** One check. `problem` is absent if it passed. */
interface Check {
  readonly what: string;
  readonly found: string;
  readonly problem?: string;
}

/** Prints a line per check. @throws {CommandFailed} if one fails */
export async function verifyEvidence(file: string, options: EvidenceOptions): Promise<void> {
  const json = await jsonOf(file);
  const read = evidenceIn(json, file);
  const checks = [
    digestOf(json as Evidence),
    codeOf('query', read.query),
    codeOf('match', read.match),
    comparisonOf(read),
    ...(options.file === undefined ? [] : [await fileOf(options.file, read.query.units)]),
    ...(await manifestsOf(read, options)),
  ];
  const failed = checks.filter(({ problem }) => problem !== undefined);
  if (options.json) process.stdout.write(`${JSON.stringify({ valid: failed.length === 0, checks })}\n`);
  else print(checks);
  if (failed.length > 0)
    throw new CommandFailed(`${file}: ${failed.length} of ${checks.length} checks failed`);
}

function print(checks: readonly Check[]): void {
  const paint = painter(process.stdout);
  const width = Math.max(...checks.map(({ what }) => what.length));
  for (const { what, found, problem } of checks) {
    const verdict = problem === undefined ? paint('green', 'ok  ') : paint('red', 'fail');
    process.stdout.write(`${verdict}  ${what.padEnd(width)}  ${printable(problem ?? found)}\n`);
  }
}

async function jsonOf(file: string): Promise<unknown> {
  try {
    return JSON.parse(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'));
  } catch (error) {
    throw new CommandFailed(`${file} can't be read as JSON: ${reason(error)}`);
  }
}

function evidenceIn(json: unknown, file: string): Evidence {
  const { data, error } = evidence.safeParse(json);
  if (data !== undefined) return data;
  const [{ path = [], message = '' } = {}] = error.issues;
  throw new CommandFailed(`${file} is not evidence of a match: ${path.join('.')}: ${message}`);
}

function digestOf({ digest, ...statement }: Evidence): Check {
  const what = 'digest';
  const computed = `sha256:${createHash('sha256')
    .update(canonicalize(statement as unknown as Json))
    .digest('hex')}`;
  if (computed === digest) return { what, found: digest };
  return { what, found: digest, problem: `the content has ${computed}, so it was changed` };
}

/** A code consists of units, and those beside it may only be longer. */
function codeOf(
  what: string,
  { iscc, units }: { iscc?: string | undefined; units: readonly string[] },
): Check {
  if (iscc === undefined || isIsccId(iscc)) return { what, found: `${units.length} units` };
  try {
    const parts = decomposeCode(iscc);
    const other = parts.find((part) => !units.some((unit) => distanceOf(part, unit) === 0));
    if (other === undefined) return { what, found: iscc };
    return { what, found: iscc, problem: `${other} of ${iscc} is not one of the units beside it` };
  } catch (error) {
    return { what, found: iscc, problem: reason(error) };
  }
}

/** Bits that differ; `undefined` if the units have different types or one is invalid. */
function distanceOf(a: string, b: string): number | undefined {
  return compared(a, b)?.distance;
}

function compared(a: string, b: string) {
  try {
    return native.compareCodes(a, b)[0];
  } catch {
    return undefined;
  }
}

function comparisonOf({ query, match, comparison }: Evidence): Check {
  const what = 'comparison';
  const pairs = query.units.flatMap((a) => match.units.flatMap((b) => compared(a, b) ?? []));
  const computed = pairs.map(({ kind: type, bits, distance: differing }) => ({ type, bits, differing }));
  const found = computed.map(({ type, bits, differing }) => `${type} ${differing} of ${bits} bits differ`);
  const sorted = (list: typeof computed) => list.toSorted((a, b) => a.type.localeCompare(b.type));
  if (isDeepStrictEqual(sorted(computed), sorted(comparison))) return { what, found: found.join(', ') };
  return { what, found: '', problem: `the units say something else: ${found.join(', ')}` };
}

/** The title of a file may have been given, so its Meta-Code does not count. */
async function fileOf(file: string, units: readonly string[]): Promise<Check> {
  const what = 'file';
  const made = (await unitsOfFiles([file])).get(file) ?? [];
  const pairs = units.flatMap((a) => made.flatMap((b) => compared(a, b) ?? []));
  const others = pairs.filter(({ kind, distance }) => !kind.startsWith('META') && distance > 0);
  const counted = pairs.filter(({ kind }) => !kind.startsWith('META'));
  if (others.length > 0 || counted.length === 0) {
    const kinds = others.map(({ kind }) => kind).join(', ') || 'all units';
    return { what, found: file, problem: `${file} has other codes: ${kinds}` };
  }
  return { what, found: `${file} has these codes` };
}

async function manifestsOf({ manifests }: Evidence, keys: TrustedKeys): Promise<Check[]> {
  if (manifests.length === 0) return [];
  const lists = trustListsOf({ trustAnchorsPem: BUNDLED_TRUST_ANCHORS, trustUpdates: [] });
  const validator = new ManifestReader(undefined).validator(lists);
  const checks: Check[] = [];
  for (const { manifestId, credentials, sha256, bytes: encoded, receipt } of manifests) {
    const bytes = Buffer.from(encoded, 'base64');
    const what = 'manifest';
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
      checks.push({
        what,
        found: manifestId,
        problem: `the bytes of ${manifestId} are not those of its SHA-256`,
      });
      continue;
    }
    const report = await validator.validate(bytes);
    const said = credentials?.state ?? 'not said';
    if (report.outcome === 'refused') {
      const found = `${manifestId} is not valid: ${report.code} (said: ${said})`;
      checks.push({ what, found, ...(said !== 'invalid' && { problem: found }) });
    } else if (report.manifestId === manifestId) {
      const state = report.trusted ? `trusted by ${report.trustList ?? 'a list'}` : 'valid, unknown signer';
      checks.push({ what, found: `${manifestId}: ${state} (said: ${said})` });
    } else {
      checks.push({
        what,
        found: '',
        problem: `the bytes of ${manifestId} are those of ${report.manifestId}`,
      });
    }
    if (receipt !== undefined) checks.push(await receiptOf(receipt, { manifestId, sha256 }, keys));
  }
  return checks;
}

/** Without a key of the caller, the receipt shows only that its own key signed it. */
async function receiptOf(
  value: unknown,
  { manifestId, sha256 }: { manifestId: string; sha256: string },
  keys: TrustedKeys,
): Promise<Check> {
  const what = 'receipt';
  if ((value as { type?: unknown } | null)?.type !== RECEIPT_TYPE)
    return { what, found: '', problem: `the receipt of ${manifestId} has another form` };
  const receipt = receiptIn(value, 'the receipt');
  const problem = await signatureProblem(receipt, 'the receipt', keys);
  if (problem !== undefined) return { what, found: '', problem };
  if (receipt.manifestId !== manifestId || receipt.sha256 !== sha256)
    return { what, found: '', problem: `the receipt is of another manifest: ${receipt.manifestId}` };
  const isGiven = keys.key !== undefined || keys.did !== undefined;
  const whose = `${receipt.signature.controller} with the key ${receipt.signature.pubkey}`;
  return {
    what,
    found: `stored at ${receipt.storedAt}, signed by ${whose}${isGiven ? '' : ', which is not checked: see --key and --did'}`,
  };
}
