/** Runs ExifTool on one file. Every value is spelled in character references, so none can become an argument. */
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { runTool, type ToolLimits } from '../pipeline/tools/process.js';

/** A tag and its new value; `append` adds to a list instead of replacing it. */
export interface TagValue {
  readonly tag: string;
  readonly value: string;
  readonly append?: boolean;
}

/** ExifTool is not there, or could not write. */
export class ExifToolFailed extends Error {
  override readonly name = 'ExifToolFailed';
}

const LIMITS: ToolLimits = {
  durationMaxMs: 30_000,
  memoryMaxBytes: 1024 ** 3,
  // The image and what is added to it; an upload has a limit of its own.
  fileMaxBytes: 64 * 1024 ** 3,
};

/** Declares the XMP namespace that holds the inputs of a Meta-Code. */
const CONFIG = `%Image::ExifTool::UserDefined = (
  'Image::ExifTool::XMP::Main' => { iscc => { SubDirectory => { TagTable => 'Image::ExifTool::UserDefined::iscc' } } },
);
%Image::ExifTool::UserDefined::iscc = (
  GROUPS => { 0 => 'XMP', 1 => 'XMP-iscc', 2 => 'Other' },
  NAMESPACE => { 'iscc' => 'http://purl.org/iscc/schema/' },
  WRITABLE => 'string',
  name => {}, description => {}, meta => {},
);
1;
`;

/** Replaces the file at `path` by one with the new values. */
export async function writeTags(path: string, values: readonly TagValue[]): Promise<void> {
  const configFile = `${path}.config`;
  const argumentsFile = `${path}.arguments`;
  await Promise.all([writeFile(configFile, CONFIG), writeFile(argumentsFile, argumentLines(path, values))]);
  const program = createRequire(import.meta.url)('exiftool-vendored.pl') as string;
  try {
    const args = [program, '-config', configFile, '-@', argumentsFile];
    await runTool('perl', args, () => undefined, { limits: LIMITS });
  } catch (error) {
    throw new ExifToolFailed(error instanceof Error ? error.message : String(error), { cause: error });
  } finally {
    await Promise.all([rm(configFile, { force: true }), rm(argumentsFile, { force: true })]);
  }
}

function argumentLines(path: string, values: readonly TagValue[]): string {
  const tags = values.map(({ tag, value, append }) => `-${tag}${append ? '+' : ''}=${references(value)}`);
  // XMP before the pixels: readers of PNG may stop there.
  return ['-E', '-overwrite_original', '-api', 'PNGEarlyXMP=1', ...tags, path, ''].join('\n');
}

/** Only letters and digits stand for themselves. */
function references(value: string): string {
  return value.replace(/[^A-Za-z0-9]/gu, (character) => `&#${character.codePointAt(0)};`);
}
