/**
 * The Meta-Code of a file from the metadata in it, and the parts of a result that need no decoder. Servers call it with the
 * addon, pages with the module for browsers: both get the same ISCC-CODE. Without imports but rules of names.
 */
import { titleFromFilename } from './filename.js';

/** Length of each ISCC-UNIT in a result. The ISCC-CODE uses the first 64 bits of each. */
export const UNIT_BITS = 256;

/**
 * Bytes per field. Well above legitimate use: the largest `meta` of a Meta-Code fits as a Data-URL, and so do the names
 * of five thousand authors.
 */
export const FIELD_BYTES_MAX = 192 * 1024;

/** Fields that are cut. The others are dropped, because a cut URL or Data-URL would be wrong. */
const CUT: ReadonlySet<string> = new Set(['name', 'description', 'creator', 'credit', 'rights', 'keywords']);

/** Fields of a file's metadata. */
export type FileFields = Readonly<Record<string, string | undefined>>;

/** Fields that replace those of the file. */
export interface GivenFields {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** A Data-URL or JSON. */
  readonly meta?: string | undefined;
}

/** What computes the units: the addon, or the module for browsers. */
export interface MetaLibrary {
  textClean(text: string): string | Promise<string>;
  metaCode(
    input: { name: string; description?: string; meta?: string; metaJson?: string },
    bits: number,
  ): MetaUnit | Promise<MetaUnit>;
}

export interface MetaUnit {
  readonly iscc: string;
  readonly metahash: string;
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly meta?: string | null | undefined;
}

export interface TitledFile {
  /** The Meta-Code. */
  readonly unit: string;
  readonly metahash: string;
  /** With name and description as hashed: normalised and cut to their limits. */
  readonly metadata: FileFields;
  /** Whether the name was read from the file, and not derived from the file name. */
  readonly nameWasRead: boolean;
}

/** The Meta-Code of a file and its metadata. `embedded` are the fields that were read from it. */
export async function titled(
  library: MetaLibrary,
  filename: string,
  embedded: FileFields,
  given: GivenFields = {},
): Promise<TitledFile> {
  const read = limitedFields(embedded);
  const name = await titleOf(library, given.name ?? read.name, filename);
  const description = given.description ?? read.description;
  const meta = given.meta ?? read.meta;
  const code = await library.metaCode(
    { name, ...(description ? { description } : {}), ...metaInput(meta) },
    UNIT_BITS,
  );
  return {
    unit: code.iscc,
    metahash: code.metahash,
    metadata: {
      ...read,
      ...(given.description !== undefined && { description: undefined }),
      ...(given.meta !== undefined && { meta: code.meta ?? undefined }),
      name: code.name,
      ...(code.description ? { description: code.description } : {}),
    },
    nameWasRead: given.name === undefined && read.name !== undefined,
  };
}

/** Cuts or drops fields above {@link FIELD_BYTES_MAX}, so that responses stay small. */
export function limitedFields<T extends object>(fields: T): T {
  const limits = Object.entries(fields).map(([field, value]) => [field, limited(field, value)]);
  return Object.fromEntries(limits.filter(([, value]) => value !== undefined)) as T;
}

function limited(field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const bytes = new TextEncoder().encode(value);
  if (bytes.length <= FIELD_BYTES_MAX) return value;
  if (!CUT.has(field)) return undefined;
  // In stream mode the decoder omits an incomplete last character.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes.subarray(0, FIELD_BYTES_MAX), { stream: true });
}

/** The title, unless nothing of it remains after normalisation; then the file name without extension. */
async function titleOf(library: MetaLibrary, title: string | undefined, filename: string): Promise<string> {
  const isEmpty = title === undefined || (await library.textClean(title)).trim() === '';
  return isEmpty ? titleFromFilename(filename) : title;
}

/** Extended metadata is a Data-URL or, from a caller, also JSON. */
function metaInput(meta: string | undefined): { meta?: string; metaJson?: string } {
  if (!meta) return {};
  return /^data:/i.test(meta) ? { meta } : { metaJson: meta };
}
