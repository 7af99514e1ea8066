/** Reads embedded metadata with programs that are not part of isccd. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { pythonPackages } from '../../support/set-up.js';

const run = promisify(execFile);

const EXIFTOOL = path.join(
  path.dirname(createRequire(import.meta.url).resolve('exiftool-vendored.pl/package.json')),
  'bin',
  'exiftool',
);
const SCRIPT = path.join(import.meta.dirname, 'read_embedded.py');
const PACKAGES = [
  'mutagen==1.48.1',
  'pikepdf==10.17.0',
  'python-docx==1.2.0',
  'python-pptx==1.0.2',
  'openpyxl==3.1.5',
  'odfpy==1.4.1',
];

/** Values by name. */
export type Found = Readonly<Record<string, readonly string[]>>;

/** Reads the file at this path. */
export type Reader = (file: string) => Promise<Found>;

/** Names are `GROUP:TAG`, such as `XMP-dc:Title`. */
export const exiftool: Reader = async (file) => {
  const args = [EXIFTOOL, '-json', '-G1', '-a', '-u', '-s', '-struct', '-charset', 'UTF8', file];
  const { stdout } = await run('perl', args, { maxBuffer: 64 * 1024 * 1024 });
  const [tags] = JSON.parse(stdout) as Record<string, unknown>[];
  return Object.fromEntries(Object.entries(tags ?? {}).map(([tag, value]) => [tag, texts(value)]));
};

/** Names are lower-case tags of the container and of its streams. */
export const ffprobe: Reader = async (file) => {
  const args = ['-v', 'error', '-show_entries', 'format_tags:stream_tags', '-of', 'json', file];
  const { stdout } = await run('ffprobe', args);
  const { format = {}, streams = [] } = JSON.parse(stdout) as Probed;
  const found: Record<string, string[]> = {};
  for (const { tags = {} } of [format, ...streams]) {
    for (const [tag, value] of Object.entries(tags)) {
      const values = found[tag.toLowerCase()] ?? [];
      found[tag.toLowerCase()] = values;
      values.push(value);
    }
  }
  return found;
};

interface Probed {
  readonly format?: { readonly tags?: Record<string, string> };
  readonly streams?: readonly { readonly tags?: Record<string, string> }[];
}

/** mutagen, pikepdf, python-docx, python-pptx, openpyxl, odfpy, and Python's XML and HTML parsers. */
export const python: Reader = async (file) => {
  const { stdout } = await run('python3', [SCRIPT, file], {
    env: await pythonReaders(),
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as Found;
};

/** The environment for `python3` that finds the packages. */
export function pythonReaders(): Promise<Readonly<Record<string, string | undefined>>> {
  return pythonPackages('embedded-readers-1', PACKAGES);
}

function texts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(texts);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(texts);
  return [String(value)];
}
