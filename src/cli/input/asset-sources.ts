/** Sources of `isccd index import`: folders of indexes, services, and files with one entry per line. */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SearchApi } from '../../client/search-api.js';
import { native } from '../../native.js';
import { decoded, type Encoding } from '../../services/search/transfer/decode.js';
import { lineGroups } from '../../services/search/transfer/line-groups.js';
import { CommandFailed, reason } from '../terminal/failure.js';

/** Assets per batch. */
const BATCH_ASSETS = 1000;
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const NAME = /^[a-z][a-z0-9]{0,31}$/;

/** Lines to add together. */
export interface SourceBatch {
  readonly lines: Uint8Array;
  /** Number of lines. */
  readonly count: number;
  /** Where to continue after this batch; `undefined` at the end. */
  readonly position: string | undefined;
  /** Number of the first line in the source's file. */
  readonly firstLine?: number;
  /** What could not be read. */
  readonly problems: readonly string[];
}

/** The assets of one index. */
export interface AssetSource {
  /** Name of the index; `undefined` for files. */
  readonly name: string | undefined;
  /** Changes when the source does. Only of sources whose positions mean nothing in another version. */
  version?(): Promise<string>;
  /** @param position of the last batch that is done */
  open(position?: string): Promise<{
    /** Number of all assets, if it is known. */
    readonly total: number | undefined;
    /** Its declared metadata paths, as far as they can be read. */
    readonly declaredPaths: readonly string[];
    readonly batches: AsyncIterable<SourceBatch>;
  }>;
}

/**
 * The indexes at a place: `-`, a file with JSON lines (`.gz` and `.zst` are decoded), a file or folder of iscc-search
 * or isccd, or a location such as `usearch:///path`.
 *
 * @throws {CommandFailed} if there are no indexes
 */
export async function assetSources(from: string): Promise<AssetSource[]> {
  if (from === '-') return [lineFile(from)];
  const place = from.replace(/^(?:lmdb|usearch|file):\/\//, '');
  const found = await stat(place).catch((error: unknown) => {
    throw new CommandFailed(`${from}: ${reason(error)}`);
  });
  if (found.isFile()) return [place.endsWith('.lmdb') ? reference(place, nameOf(place)) : lineFile(place)];
  if (!found.isDirectory())
    throw new CommandFailed(`${from}: neither a file nor a folder; pipe the lines to --from -`);
  const own = await indexAt(place);
  if (own !== undefined) return [own];
  const names = (await readdir(place)).sort();
  const all = await Promise.all(names.map((name) => indexAt(path.join(place, name))));
  const sources = all.filter((source) => source !== undefined);
  if (sources.length === 0) {
    throw new CommandFailed(`${from}: neither a folder of iscc-search nor of isccd: it contains no indexes`);
  }
  return sources;
}

/** All indexes of a service, or one of them. */
export async function serviceSources(service: SearchApi, name?: string): Promise<AssetSource[]> {
  const infos = name === undefined ? await service.listIndexes() : [await service.getIndex(name)];
  return infos.map((info) => ({
    name: info.name,
    open: async (position) => ({
      total: info.assets,
      declaredPaths: (await service.getPaths(info.name)).paths.map(({ path }) => path),
      batches: pages(service, info.name, position),
    }),
  }));
}

/** The rows of a damaged index that can be read. */
export function damagedSource(folder: string, name: string): AssetSource {
  return reader('damaged', path.join(folder, name), name);
}

async function* pages(service: SearchApi, name: string, position?: string): AsyncGenerator<SourceBatch> {
  for (let after = position; ; ) {
    const { lines, next } = await service.assetLines(name, after, BATCH_ASSETS);
    yield { lines, count: countOf(lines), position: next, problems: [] };
    if (next === undefined) return;
    after = next;
  }
}

function countOf(lines: Uint8Array): number {
  let count = 0;
  for (let at = lines.indexOf(10); at >= 0; at = lines.indexOf(10, at + 1)) count += 1;
  return count;
}

/** The index whose files are at a path; `undefined` if it has no index. */
async function indexAt(place: string): Promise<AssetSource | undefined> {
  const name = nameOf(place);
  if (!NAME.test(name)) return undefined;
  if (place.endsWith('.lmdb')) return reference(place, name);
  if (await isFile(path.join(place, 'index.lmdb'))) return reference(path.join(place, 'index.lmdb'), name);
  return (await isFile(path.join(place, 'data.mdb'))) ? reader('index', place, name) : undefined;
}

function reference(file: string, name: string): AssetSource {
  return reader('reference', file, name);
}

function reader(kind: 'index' | 'reference' | 'damaged', place: string, name: string): AssetSource {
  return {
    name,
    open: async (position) => {
      const opened = await native.openAssetReader(kind, place, position).catch((error: unknown) => {
        throw new CommandFailed(`${place}: ${reason(error)}`);
      });
      const batches = async function* (): AsyncGenerator<SourceBatch> {
        for (;;) {
          const batch = await opened.next(BATCH_ASSETS);
          yield { ...batch, position: batch.position };
          if (batch.position === undefined) return;
        }
      };
      return { total: opened.assets, declaredPaths: opened.declaredPaths, batches: batches() };
    },
  };
}

function lineFile(file: string): AssetSource {
  return {
    name: undefined,
    ...(file !== '-' && { version: () => fileVersion(file) }),
    open: async (position = '0') => ({
      total: undefined,
      declaredPaths: [],
      batches: fileBatches(file, Number(position)),
    }),
  };
}

/** Size and time of the last change of a file. */
export async function fileVersion(file: string): Promise<string> {
  const { size, mtimeMs } = await stat(file);
  return `${size} bytes, ${new Date(mtimeMs).toISOString()}`;
}

async function* fileBatches(file: string, skip: number): AsyncGenerator<SourceBatch> {
  const raw: AsyncIterable<Uint8Array> = file === '-' ? process.stdin : createReadStream(file);
  const bytes = decoded(raw, encodingOf(file));
  try {
    for await (const group of lineGroups(bytes, { lineBytesMax: LINE_BYTES_MAX, skip })) {
      const position = String(group.firstLine - 1 + group.lines);
      const { bytes: lines, firstLine, lines: count } = group;
      yield { lines, count, position, firstLine, problems: [] };
    }
  } catch (error) {
    throw new CommandFailed(`${file}: ${reason(error)}`);
  }
}

function encodingOf(file: string): Encoding | undefined {
  if (/\.gz$/i.test(file)) return 'gzip';
  return /\.zstd?$/i.test(file) ? 'zstd' : undefined;
}

function nameOf(place: string): string {
  return path.basename(place).replace(/\.lmdb$/, '');
}

async function isFile(place: string): Promise<boolean> {
  return (await stat(place).catch(() => undefined))?.isFile() ?? false;
}
