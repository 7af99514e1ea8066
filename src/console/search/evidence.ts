/**
 * What a match rests on, as a file that others can check without this server (`isccd verify-evidence`), or on paper: the codes of
 * both sides, the bits that differ, and the manifests of the content with their bytes and receipts.
 */

import { difference } from '../bit-picture.js';
import type { Result } from '../codes-client.js';
import { download, element, facts, nameElement, percent } from '../dom.js';
import { known, t } from '../language.js';
import { RequestFailed, send, sendJson } from '../requests.js';
import { type Credentials, checkUnits, type Match, manifestPath } from '../resolver/api.js';
import { addressOf, has, own } from '../services.js';
import { sha256 } from '../sha256.js';
import { pathOf } from '../store/api.js';
import { bitsOf, comparedItem, differenceText, namesOf, unitList } from '../unit-item.js';
import type { Entry } from './api.js';

const FORMAT = 'isccd-evidence-1';
const MANIFESTS_MAX = 10;
/** Facts of a file that its evidence has. */
const FACTS = ['name', 'filename', 'mediatype', 'filesize', 'datahash'] as const;

export interface Asked {
  /** The ISCC-CODE or ISCC-ID that was searched for, if it was one. */
  readonly code: string | undefined;
  readonly units: readonly string[];
  /** The file that was searched for, if it was one. */
  readonly result: Result | undefined;
}

interface Compared {
  readonly type: string;
  /** Number of bits that both units have. */
  readonly bits: number;
  readonly differing: number;
}

interface EvidentManifest {
  readonly manifestId: string;
  readonly endpoint: string;
  readonly similarityScore: number;
  readonly credentials?: Omit<Credentials, 'thumbnail'>;
  readonly sha256: string;
  /** Base64 of the Manifest Store. */
  readonly bytes: string;
  /** Of the store, if it signs receipts. */
  readonly receipt?: unknown;
}

interface Statement {
  readonly format: typeof FORMAT;
  readonly createdAt: string;
  readonly service: { readonly url: string; readonly version: string };
  readonly query: {
    readonly iscc?: string;
    readonly units: readonly string[];
    readonly file?: Readonly<Record<string, unknown>>;
  };
  readonly match: {
    readonly index: string;
    readonly isccId: string;
    readonly iscc?: string;
    readonly units: readonly string[];
    readonly score: number;
    readonly metadata?: unknown;
  };
  readonly comparison: readonly Compared[];
  readonly manifests: readonly EvidentManifest[];
}

export interface Evidence extends Statement {
  /** SHA-256 of the other members as JSON without spaces, names in order of their UTF-16 units (RFC 8785). */
  readonly digest: string;
}

/** @throws on insecure origins, where browsers do not hash, and if the asset is gone */
export async function evidenceOf(
  asked: Asked,
  index: string,
  entry: Entry,
  score: number,
): Promise<Evidence> {
  const { iscc_id: isccId, iscc_code: iscc, metadata } = entry;
  const units = entry.units ?? [];
  const file = asked.result;
  const known = FACTS.filter((name) => file?.[name] !== undefined);
  const statement: Statement = {
    format: FORMAT,
    createdAt: new Date().toISOString(),
    service: { url: addressOf('search', '/'), version: await version() },
    query: {
      ...(asked.code !== undefined && { iscc: asked.code }),
      units: asked.units,
      ...(file !== undefined && { file: Object.fromEntries(known.map((name) => [name, file[name]])) }),
    },
    match: {
      index,
      isccId,
      ...(iscc !== undefined && { iscc }),
      units,
      score,
      ...(metadata !== undefined && { metadata: withoutThumbnail(metadata) }),
    },
    comparison: comparisonOf(asked.units, units),
    manifests: await manifestsOf(asked.units),
  };
  const digest = await hexDigest(new TextEncoder().encode(canonical(statement)));
  return { ...statement, digest: `sha256:${digest}` };
}

/** Of the services; the pages do not know it. */
async function version(): Promise<string> {
  const { info } = await sendJson<{ info: { version: string } }>(own, '/openapi/openapi.json');
  return info.version;
}

function comparisonOf(asked: readonly string[], found: readonly string[]): Compared[] {
  const theirs = bitsOf(found);
  return bitsOf(asked).flatMap(({ type, bits }) => {
    const other = theirs.find((unit) => unit.type === type);
    if (other === undefined) return [];
    const { differing, common } = difference(bits, other.bits);
    return [{ type, bits: common, differing }];
  });
}

async function manifestsOf(units: readonly string[]): Promise<EvidentManifest[]> {
  if (!has('resolver') || units.length === 0) return [];
  const { matches } = await checkUnits(units);
  return Promise.all(matches.slice(0, MANIFESTS_MAX).map(evident));
}

async function evident({
  manifestId,
  endpoint,
  similarityScore,
  credentials,
}: Match): Promise<EvidentManifest> {
  const response = await send('resolver', manifestPath(manifestId));
  const bytes = new Uint8Array(await response.arrayBuffer());
  const receipt = await receiptOf(manifestId);
  const { thumbnail: _, ...said } = credentials ?? {};
  return {
    manifestId,
    endpoint,
    similarityScore,
    ...(credentials !== undefined && { credentials: said as Omit<Credentials, 'thumbnail'> }),
    sha256: await hexDigest(bytes),
    bytes: base64(bytes),
    ...(receipt !== undefined && { receipt }),
  };
}

/** `undefined` if the store is elsewhere or signs no receipts. */
async function receiptOf(manifestId: string): Promise<unknown> {
  if (!has('store')) return undefined;
  try {
    return await sendJson('store', pathOf(manifestId, '/receipt'));
  } catch (error) {
    if (error instanceof RequestFailed && error.status < 500) return undefined;
    throw error;
  }
}

function withoutThumbnail(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return metadata;
  const { thumbnail: _, ...others } = metadata as Record<string, unknown>;
  return others;
}

/** JSON by RFC 8785. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const members = Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(members);
  });
}

async function hexDigest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await sha256(bytes, t('Evidence'));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Downloads it as JSON. */
export function saveEvidence(evidence: Evidence): void {
  const text = `${JSON.stringify(evidence, null, 2)}\n`;
  const name = `${evidence.match.isccId.replace('ISCC:', '')}.evidence.json`;
  download(new Blob([text], { type: 'application/json' }), name);
}

/** Prints it alone, or saves it as PDF: the dialog of the browser asks. */
export function printEvidence(evidence: Evidence): void {
  const sheet = sheetOf(evidence);
  document.body.append(sheet);
  document.body.classList.add('printing');
  const done = () => {
    document.body.classList.remove('printing');
    sheet.remove();
  };
  addEventListener('afterprint', done, { once: true });
  print();
}

function sheetOf(evidence: Evidence): HTMLElement {
  const { createdAt, service, query, match, manifests, digest } = evidence;
  const file = query.file ?? {};
  return element(
    'article',
    { class: 'evidence' },
    element('h1', {}, t('Evidence of a match')),
    facts([
      [t('Made'), t('{0}, by the clock of this computer', createdAt)],
      [t('Service'), `${service.url}, isccd ${service.version}`],
      [t('Searched'), typeof file.filename === 'string' ? nameElement(file.filename) : undefined],
      [t('Its code'), query.iscc],
      [t('Its bytes'), typeof file.datahash === 'string' ? file.datahash : undefined],
      [t('Found'), t('{0} in the index {1}, {2}', match.isccId, match.index, percent(match.score))],
      [t('Its code'), match.iscc],
      [t('Digest'), digest],
    ]),
    element('h2', {}, t('Units')),
    unitList(comparedUnits(evidence), t('Compared units')),
    ...(manifests.length === 0 ? [] : [element('h2', {}, t('Manifests'))]),
    ...manifests.map(manifestFacts),
    element(
      'p',
      { class: 'hint' },
      t('The JSON form has all bytes that these facts rest on. Check it with: isccd verify-evidence FILE'),
    ),
  );
}

function comparedUnits({ query, match, comparison }: Evidence): HTMLLIElement[] {
  const [mine, theirs] = [bitsOf(query.units), bitsOf(match.units)];
  return comparison.flatMap(({ type, bits: common, differing }) => {
    const bits = [mine, theirs].map((units) => units.find((unit) => unit.type === type)?.bits ?? '');
    const [a = '', b = ''] = bits;
    const verdict = `${namesOf(type).name}: ${differenceText(a, b)}`;
    return [comparedItem({ type, share: 1 - differing / common, verdict, bits: [a, b] })];
  });
}

function manifestFacts({
  manifestId,
  endpoint,
  sha256: hash,
  credentials,
  receipt,
}: EvidentManifest): HTMLElement {
  return facts([
    [t('Manifest'), manifestId],
    [t('From'), endpoint],
    [t('SHA-256'), hash],
    [t('Verdict'), credentials && known(credentials.state)],
    [t('Signer'), credentials?.signer === undefined ? undefined : nameElement(credentials.signer)],
    [t('Signed'), credentials?.time],
    [t('Receipt'), receipt === undefined ? t('not issued') : t('signed by the store, in the JSON form')],
  ]);
}
