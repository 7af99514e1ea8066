/** Runs ExifTool on a file. Values are escaped as character references, so that none can be read as an argument. */
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { CodesRefusal } from '../errors.js';
import { FileError } from '../pipeline/file-error.js';
import { runTool, ToolFailed, type ToolLimits, ToolMissing } from '../pipeline/tools/process.js';

/** A tag and its new value. `append` adds to a list instead of replacing it. */
export interface TagValue {
  readonly tag: string;
  readonly value: string;
  readonly append?: boolean;
}

/** ExifTool could not write the file. */
export class ExifToolFailed extends FileError {
  override readonly name = 'ExifToolFailed';
}

const LIMITS: ToolLimits = {
  durationMaxMs: 30_000,
  memoryMaxBytes: 1024 ** 3,
  // Effectively unlimited: uploads have their own limit.
  fileMaxBytes: 64 * 1024 ** 3,
};

/** Declares the XMP namespace for the inputs of the Meta-Code. */
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

/** Writes the values into the file at `path`. @throws {ExifToolFailed} */
export async function writeTags(path: string, values: readonly TagValue[]): Promise<void> {
  const configFile = `${path}.config`;
  const argumentsFile = `${path}.arguments`;
  await Promise.all([writeFile(configFile, CONFIG), writeFile(argumentsFile, argumentLines(path, values))]);
  const program = createRequire(import.meta.url)('exiftool-vendored.pl') as string;
  try {
    const args = [program, '-config', configFile, '-@', argumentsFile];
    await runTool('perl', args, () => undefined, { limits: LIMITS });
  } catch (error) {
    if (error instanceof ToolMissing) throw new CodesRefusal('PERL_MISSING', {}, { cause: error });
    if (!(error instanceof ToolFailed)) throw error;
    throw new ExifToolFailed(error.code, error.message, { cause: error });
  } finally {
    await Promise.all([rm(configFile, { force: true }), rm(argumentsFile, { force: true })]);
  }
}

function argumentLines(path: string, values: readonly TagValue[]): string {
  const tags = values.map(({ tag, value, append }) => `-${tag}${append ? '+' : ''}=${references(value)}`);
  // PNG: write XMP before the pixels, where some readers stop.
  return ['-E', '-overwrite_original', '-api', 'PNGEarlyXMP=1', ...tags, path, ''].join('\n');
}

/** Escapes everything but ASCII letters and digits. */
function references(value: string): string {
  return value.replace(/[^A-Za-z0-9]/gu, (character) => `&#${character.codePointAt(0)};`);
}
