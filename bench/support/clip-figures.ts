/** What a search finds of clips, and what simprints of films and recordings cost. */
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Simprint } from '../../src/client/search-api.js';
import { type Parts, type Span, simprintType, spansOf } from '../../src/iscc/spans.js';
import { native } from '../../src/native.js';
import { Pipeline } from '../../src/services/codes/pipeline/pipeline.js';
import { InProcessSearch } from '../../src/services/search/in-process.js';
import { type Clip, clipsOf, cut, type Medium, makeFile } from './clip-files.js';
import { treeCpuMs } from './process-tree.js';

export interface ClipOptions {
  /** Number of files in the index. */
  readonly files: number;
  /** Number of files that are not in the index; each is searched as a whole. */
  readonly others: number;
  readonly seconds: number;
  /** Clips of each length per file. */
  readonly clips: number;
  /** Empty; gets all files. */
  readonly folder: string;
  /** Main script of the workers. */
  readonly worker: string;
}

/** A number of clips that were found, and of all. */
export interface Share {
  found: number;
  all: number;
}

const INDEX = 'bench';
const WORKERS = availableParallelism();
/** Files that are coded with and without simprints. */
const COST_FILES = 10;
/** How far the found time may be from the true one. */
const TOLERANCE_MS = 1200;
const NO_PARTS: Parts = { maintype: '', subtype: '', version: 0, simprints: [] };

/** Figures of one medium. */
export class ClipFigures {
  readonly byLength = new Map<number, Share>();
  readonly byChange = new Map<string, Share>();
  /** Clips without the right span. */
  readonly missed: string[] = [];
  /** Spans in files that have nothing of the query. */
  readonly falseSpans: string[] = [];
  /** Pairs of a query and a file that has nothing of it. */
  unrelated = 0;
  /** Of the parts of such a pair. */
  greatestSimilarity = 0;
  simprints = 0;
  cpuMs = 0;
  /** The same with simprints. */
  cpuMsGranular = 0;

  /** A clip, or a file that is not in the index, and the spans in each file of the index. */
  judge(query: Clip | string, found: ReadonlyMap<number, FileMatch>, files: number): void {
    const clip = typeof query === 'string' ? undefined : query;
    const name = clip === undefined ? String(query) : nameOf(clip);
    for (const [file, { spans, best }] of found) {
      if (file === clip?.of) continue;
      this.greatestSimilarity = Math.max(this.greatestSimilarity, best);
      if (spans.length > 0) this.falseSpans.push(`${name} in ${file}: ${JSON.stringify(spans)}`);
    }
    this.unrelated += clip === undefined ? files : files - 1;
    if (clip === undefined) return;
    const isFound = found.get(clip.of)?.spans.some((span) => isRight(span, clip)) ?? false;
    if (!isFound) this.missed.push(name);
    for (const share of [shareOf(this.byLength, clip.seconds), shareOf(this.byChange, clip.change.name)]) {
      share.all += 1;
      if (isFound) share.found += 1;
    }
  }
}

interface FileMatch {
  readonly spans: readonly Span[];
  /** Similarity of the most similar parts. */
  readonly best: number;
}

function nameOf({ of, startSeconds, seconds, change }: Clip): string {
  return `${seconds} s at ${startSeconds.toFixed(2)} s of ${of}, ${change.name}`;
}

/** Whether the span begins where the clip does, or has half of it: a clip of a still shot may be anywhere in the shot. */
function isRight({ start, found_start: from, found_end: to }: Span, clip: Clip): boolean {
  const [first, last] = [1000 * clip.startSeconds, 1000 * (clip.startSeconds + clip.seconds)];
  const isAtStart = Math.abs(from - start - first) <= TOLERANCE_MS;
  return isAtStart || 2 * (Math.min(to, last) - Math.max(from, first)) >= last - first;
}

function shareOf<T>(shares: Map<T, Share>, key: T): Share {
  const share = shares.get(key) ?? { found: 0, all: 0 };
  shares.set(key, share);
  return share;
}

/** Makes the files, adds them to an index, and searches their clips and the other files. */
export async function clipFigures(medium: Medium, options: ClipOptions): Promise<ClipFigures> {
  const { files, others, seconds, clips } = options;
  const folder = path.join(options.folder, medium);
  await mkdir(folder);
  const coder = new Coder(options);
  const search = await InProcessSearch.open('memory://');
  const figures = new ClipFigures();
  const numbers = Array.from({ length: files + others }, (_, number) => number);
  const made = (number: number) => makeFile(medium, number, seconds, folder);
  try {
    await search.createIndex(INDEX);
    await atOnce(numbers.slice(0, files), async (number) => {
      const parts = await coder.parts(await made(number));
      figures.simprints += parts.simprints.length;
      await add(search, number, parts);
    });
    const all = numbers.slice(0, files).flatMap((number) => clipsOf(medium, number, seconds, clips));
    await atOnce(all, async (clip) => {
      const parts = await coder.parts(await cut(medium, clip, folder));
      figures.judge(clip, await find(search, parts), files);
    });
    await atOnce(numbers.slice(files), async (number) => {
      const parts = await coder.parts(await made(number));
      figures.judge(`file ${number}`, await find(search, parts), files);
    });
    for (const number of numbers.slice(0, COST_FILES)) await coder.compare(await made(number), figures);
    return figures;
  } finally {
    await search.close();
    await coder.close();
  }
}

/** Runs a task for each item, as many at once as there are workers. */
async function atOnce<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  const pending = items.values();
  const lane = async () => {
    for (const item of pending) await task(item);
  };
  await Promise.all(Array.from({ length: WORKERS }, lane));
}

/** Codes files. */
class Coder {
  readonly #pipeline: Pipeline;

  constructor({ folder, worker }: ClipOptions) {
    const limits = {
      fallback: false,
      compat: '0.9.7',
      readBytes: 2 * 1024 ** 2,
      jobSecondsMax: 600,
    } as const;
    const places = { work: path.join(folder, 'work') };
    this.#pipeline = new Pipeline(
      { ...limits, workers: WORKERS, models: { runtime: '' }, places },
      {},
      worker,
    );
  }

  async parts(file: string, granularMedia = true): Promise<Parts> {
    const source = await this.#pipeline.open(file, path.basename(file));
    const options = { granular: true, granularMedia, semantic: false };
    const { result } = await this.#pipeline.process(source, options, new AbortController().signal);
    return result.features?.[0] ?? NO_PARTS;
  }

  /** Codes a file with and without simprints, while nothing else runs. */
  async compare(file: string, figures: ClipFigures): Promise<void> {
    const start = treeCpuMs();
    await this.parts(file, false);
    const middle = treeCpuMs();
    await this.parts(file);
    figures.cpuMs += middle - start;
    figures.cpuMsGranular += treeCpuMs() - middle;
  }

  close(): Promise<void> {
    return this.#pipeline.close();
  }
}

async function add(search: InProcessSearch, number: number, parts: Parts): Promise<void> {
  const { simprints, offsets = [], sizes = [] } = parts;
  const stored = simprints.map(
    (simprint, at): Simprint => ({ simprint, offset: offsets[at] ?? 0, size: sizes[at] ?? 0 }),
  );
  const entry = { iscc_id: native.isccId(0, number + 1, 0), metadata: { number } };
  await search.addAssets(INDEX, [{ ...entry, simprints: { [simprintType(parts)]: stored } }]);
}

/** The matches by number of the file. */
async function find(search: InProcessSearch, parts: Parts): Promise<Map<number, FileMatch>> {
  const found = new Map<number, FileMatch>();
  if (parts.simprints.length === 0) return found;
  const query = { simprints: { [simprintType(parts)]: [...parts.simprints] } };
  const { chunk_matches: matches } = await search.search(INDEX, query, { limit: 1000 });
  for (const { metadata, types } of matches) {
    const chunks = types[simprintType(parts)]?.chunks ?? [];
    const best = Math.max(...chunks.map(({ score }) => score));
    found.set(Number(metadata?.number), { spans: spansOf(parts, chunks), best });
  }
  return found;
}
