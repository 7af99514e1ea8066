/** Passages that several texts have: parts whose simprints are similar. */
import { encodeUnit } from '../../iscc/codec.js';
import { csvField } from '../../platform/csv.js';
import type { FeatureSet } from '../../services/codes/result.js';
import { Forest } from './forest.js';
import type { Group } from './groups.js';
import { type NearOptions, nearUnits } from './near-units.js';
import type { ScannedFile, ScanRecords } from './records.js';
import { workOf } from './works.js';

/** A part of a text. */
export interface Passage {
  readonly file: ScannedFile;
  /** In bytes of UTF-8 of the cleaned text. */
  readonly offset: number;
  readonly size: number;
}

/** Shorter ones are ends of texts, greetings and headings. */
const PASSAGE_BYTES_MIN = 128;

/** Simprints have the form of the Text-Code. */
const [CONTENT, TEXT] = [2, 0];
const BITS = 256;

/**
 * Passages that at least two texts have, which are not near-duplicates of each other. Of duplicates, only the first file
 * counts.
 */
export async function sharedPassages(
  files: readonly ScannedFile[],
  groups: readonly Group[],
  records: ScanRecords,
  options: NearOptions,
): Promise<Passage[][]> {
  const works = workOf(groups);
  const seen = new Set<string>();
  const byUnit = new Map<string, Passage[]>();
  for (const file of files) {
    if (file.mode !== 'text' || seen.has(file.datahash)) continue;
    seen.add(file.datahash);
    for (const { unit, ...passage } of passagesOf(file, records)) {
      const known = byUnit.get(unit);
      if (known === undefined) byUnit.set(unit, [passage]);
      else known.push(passage);
    }
  }
  const passages = [...byUnit.values()];
  const similar = new Forest(passages.length);
  for (const { a, b } of await nearUnits([...byUnit.keys()], options)) similar.join(a, b);
  const clusters = new Map<number, Passage[]>();
  for (const [at, places] of passages.entries()) {
    const root = similar.root(at);
    const known = clusters.get(root);
    if (known === undefined) clusters.set(root, places);
    else known.push(...places);
  }
  return [...clusters.values()].filter(
    (cluster) => new Set(cluster.map(({ file }) => works.get(file) ?? file)).size > 1,
  );
}

function* passagesOf(file: ScannedFile, records: ScanRecords) {
  const { features } = records.line(file) as { readonly features?: readonly FeatureSet[] };
  const set = features?.find(({ maintype }) => maintype === 'content');
  for (const [at, simprint] of (set?.simprints ?? []).entries()) {
    const size = set?.sizes[at] ?? 0;
    if (size < PASSAGE_BYTES_MIN) continue;
    const unit = encodeUnit(CONTENT, TEXT, 0, BITS, Buffer.from(simprint, 'base64url'));
    yield { unit, file, offset: set?.offsets[at] ?? 0, size };
  }
}

const COLUMNS = ['passage', 'path', 'offset', 'bytes'];

/** RFC 4180: one line per text that has a passage. */
export function* passagesReport(passages: readonly (readonly Passage[])[]): Generator<string> {
  yield `${COLUMNS.join(',')}\r\n`;
  for (const [at, places] of passages.entries())
    for (const { file, offset, size } of places)
      yield `${[at + 1, file.path, offset, size].map(csvField).join(',')}\r\n`;
}
