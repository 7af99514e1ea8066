/** Films and recordings that are clips of others, or share parts with them. */
import path from 'node:path';
import { hasTimes, type Parts, type Span, simprintType, spansOf, spanText } from '../../iscc/spans.js';
import { native } from '../../native.js';
import { csvField } from '../../platform/csv.js';
import { printable } from '../../platform/printable.js';
import { InProcessSearch } from '../../services/search/in-process.js';
import type { Group } from './groups.js';
import type { ScannedFile, ScanRecords } from './records.js';
import { workOf } from './works.js';

/** A file, and the parts of it that a longer one has. */
export interface Clip {
  readonly file: ScannedFile;
  readonly of: ScannedFile;
  readonly spans: readonly Span[];
  /** Whether most of the file is in the other one. */
  readonly isWhole: boolean;
}

/** Of a file that is a clip, so much is in the other one at least. */
const CLIP_SHARE = 0.5;
const INDEX = 'clips';
const MATCHES_MAX = 1000;
/** Files that are added at once. */
const BATCH = 20;

interface Medium {
  readonly file: ScannedFile;
  readonly parts: Parts;
  readonly endMs: number;
}

/** Pairs of files that have parts in common and are not near-duplicates. Of duplicates, only the first file counts. */
export async function sharedClips(
  files: readonly ScannedFile[],
  groups: readonly Group[],
  records: ScanRecords,
  work: string,
): Promise<Clip[]> {
  const distinct = new Map(files.map((file) => [file.datahash, file] as const).reverse());
  const media = [...distinct.values()].reverse().flatMap((file) => mediumOf(file, records));
  const works = workOf(groups);
  const search = await InProcessSearch.open(`usearch://${path.join(work, INDEX)}`);
  try {
    await search.createIndex(INDEX);
    const entries = media.map(
      ({ parts }, at) =>
        () =>
          entryOf(at, parts),
    );
    for (let start = 0; start < entries.length; start += BATCH)
      await search.addAssets(
        INDEX,
        entries.slice(start, start + BATCH).map((make) => make()),
      );
    const clips: Clip[] = [];
    for (const [at, medium] of media.entries())
      for (const { with: other, spans } of await found(search, medium.parts)) {
        const longer = media[other];
        if (longer === undefined || !isShorter(medium, at, longer, other)) continue;
        if ((works.get(medium.file) ?? medium.file) === (works.get(longer.file) ?? longer.file)) continue;
        const shared = spans.reduce((sum, { start, end }) => sum + end - start, 0);
        const isWhole = shared >= CLIP_SHARE * medium.endMs;
        clips.push({ file: medium.file, of: longer.file, spans, isWhole });
      }
    return clips;
  } finally {
    await search.close();
  }
}

function mediumOf(file: ScannedFile, records: ScanRecords): Medium[] {
  const { features = [] } = records.line(file) as { readonly features?: readonly Parts[] };
  const parts = features.find((feature) => hasTimes(simprintType(feature)));
  if (parts === undefined) return [];
  const { offsets = [], sizes = [] } = parts;
  const endMs = offsets.reduce((end, offset, at) => Math.max(end, offset + (sizes[at] ?? 0)), 0);
  return [{ file, parts, endMs }];
}

/** Each pair counts once, as parts of the shorter file. */
function isShorter(one: Medium, at: number, other: Medium, otherAt: number): boolean {
  return one.endMs < other.endMs || (one.endMs === other.endMs && at < otherAt);
}

function entryOf(number: number, parts: Parts) {
  const { simprints, offsets = [], sizes = [] } = parts;
  const stored = simprints.map((simprint, at) => ({
    simprint,
    offset: offsets[at] ?? 0,
    size: sizes[at] ?? 0,
  }));
  return {
    iscc_id: native.isccId(0, number + 1, 0),
    metadata: { number },
    simprints: { [simprintType(parts)]: stored },
  };
}

async function found(search: InProcessSearch, parts: Parts) {
  const type = simprintType(parts);
  const query = { simprints: { [type]: [...parts.simprints] } };
  const { chunk_matches: matches } = await search.search(INDEX, query, { limit: MATCHES_MAX });
  return matches.flatMap(({ metadata, types }) => {
    const spans = spansOf(parts, types[type]?.chunks ?? []);
    return spans.length === 0 ? [] : [{ with: Number(metadata?.number), spans }];
  });
}

const COLUMNS = ['path', 'relation', 'of', 'start', 'end', 'of_start', 'of_end', 'similarity'];

/** RFC 4180: one line per span. Times are seconds. */
export function* clipsReport(clips: readonly Clip[]): Generator<string> {
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  yield `${COLUMNS.join(',')}\r\n`;
  for (const { file, of, spans, isWhole } of clips)
    for (const { start, end, found_start, found_end, mean } of spans) {
      const times = [start, end, found_start, found_end].map(seconds);
      const row = [file.path, isWhole ? 'clip' : 'part', of.path, ...times, mean.toFixed(3)];
      yield `${row.map(csvField).join(',')}\r\n`;
    }
}

/** E.g. `b.mp4 is a clip of a.mp4: 1:00 to 1:10 is 0:00 to 0:10 of the query`. */
export function clipLines(clips: readonly Clip[]): string[] {
  return clips.map(({ file, of, spans, isWhole }) => {
    const relation = isWhole ? 'is a clip of' : 'has parts of';
    const times = spans.map((span) => spanText(span, 'it')).join(', ');
    return `  ${printable(file.path)} ${relation} ${printable(of.path)}: ${times}`;
  });
}

/** For JSON. */
export function plainClip({ file, of, spans, isWhole }: Clip): object {
  return { path: file.path, relation: isWhole ? 'clip' : 'part', of: of.path, spans };
}
