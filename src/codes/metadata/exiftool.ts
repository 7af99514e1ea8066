/** Runs ExifTool on one file. Every value is spelled in character references, so none can become an argument. */
import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

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

const DURATION_MAX_MS = 30_000;
const MESSAGE_MAX_CHARACTERS = 500;

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
  await writeFile(configFile, CONFIG);
  try {
    await run(configFile, argumentLines(path, values));
  } finally {
    await rm(configFile, { force: true });
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

function run(configFile: string, lines: string): Promise<void> {
  const program = createRequire(import.meta.url)('exiftool-vendored.pl') as string;
  const child = spawn('perl', [program, '-config', configFile, '-@', '-'], {
    stdio: ['pipe', 'ignore', 'pipe'],
    timeout: DURATION_MAX_MS,
    killSignal: 'SIGKILL',
  });
  let message = '';
  child.stderr.on('data', (data: Buffer) => {
    message = (message + data.toString()).slice(0, MESSAGE_MAX_CHARACTERS);
  });
  // It may end before it has read everything; its exit status tells.
  child.stdin.on('error', () => undefined);
  child.stdin.end(lines);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new ExifToolFailed(error.message)));
    child.once('close', (status) => {
      if (status === 0) resolve();
      else reject(new ExifToolFailed(message.trim() || `ended with ${status}`));
    });
  });
}
