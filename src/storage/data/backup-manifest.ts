/** `backup.json`: the content of a backup, so that a check can find what is missing. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { absent } from './absent.js';
import { writeDurably } from './durable.js';
import { type DataKind, FormatRefused } from './format.js';

export const MANIFEST_FILE = 'backup.json';
/** Format of the manifest itself. */
const FORMAT = 1;

const counted = z.record(z.string(), z.number().int().nonnegative());

const fileSchema = z.object({
  path: z.string(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const storeSchema = z.object({
  counts: counted,
  /** Files without a digest in the data itself. */
  files: z.array(fileSchema),
  notes: z.array(z.string()),
  /** Of the store: number of entries of the audit log and the last hash of its chain. */
  auditHead: z.string().optional(),
  /** Of the store: number of entries of its transparency log and root of the tree. */
  logHead: z.string().optional(),
});

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  program: z.string(),
  /** ISO 8601. The backup contains everything acknowledged before. */
  startedAt: z.string(),
  finishedAt: z.string(),
  /** Each service has a folder with its name. */
  stores: z.partialRecord(z.enum(['codes', 'search', 'store']), storeSchema),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type StoreEntry = z.infer<typeof storeSchema>;
export type FileEntry = z.infer<typeof fileSchema>;

export function manifestOf(content: Omit<Manifest, 'format'>): Manifest {
  return { format: FORMAT, ...content };
}

export function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  return writeDurably(path.join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/**
 * Reads a folder's manifest; `undefined` if the file does not exist.
 *
 * @throws {FormatRefused} if the manifest is invalid or has a newer version
 */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const file = path.join(folder, MANIFEST_FILE);
  const text = await readFile(file, 'utf8').catch(absent);
  if (text === undefined) return undefined;
  const json = parsed(text);
  const version = z.object({ format: z.number() }).safeParse(json).data?.format;
  if (version !== undefined && version > FORMAT) throw FormatRefused.newer(file, version, FORMAT);
  const manifest = manifestSchema.safeParse(json);
  if (manifest.success) return manifest.data;
  const { path: at, message } = manifest.error.issues[0] ?? { path: [], message: 'is not valid' };
  throw new FormatRefused(`${file} is not a valid backup manifest: ${at.join('.')} ${message}`);
}

/** Size and digest of a file in a data directory; `undefined` if it does not exist. */
export async function digestOf(kind: DataKind, root: string, file: string): Promise<FileEntry | undefined> {
  const place = path.join(root, kind, file);
  const found = await stat(place).catch(() => undefined);
  if (found === undefined) return undefined;
  return { path: file, bytes: found.size, sha256: await sha256Of(place) };
}

/** SHA-256 of a file in hex. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
