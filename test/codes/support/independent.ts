/** Reads embedded metadata with programs that are not part of isccd. */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
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

/**
 * A program that reads one file after another: it gets a line for each, and prints what it found and then `end`. It starts at
 * the first file, and ends with this process, because its input does.
 */
class FileReader {
  readonly #start: () => Promise<ChildProcessWithoutNullStreams>;
  readonly #end: string;
  #child: Promise<ChildProcessWithoutNullStreams> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(end: string, start: () => Promise<ChildProcessWithoutNullStreams>) {
    this.#end = end;
    this.#start = start;
  }

  /** Sends this input, and returns what the program prints for it. */
  read(input: string): Promise<string> {
    const found = this.#last.then(() => this.#exchange(input));
    this.#last = found.catch(() => {});
    return found;
  }

  async #exchange(input: string): Promise<string> {
    this.#child ??= this.#start().then(unreferenced);
    const child = await this.#child;
    return new Promise((resolve, reject) => {
      let [output, errors] = ['', ''];
      const settle = (finish: () => void) => {
        child.stdout.off('data', onOutput);
        child.stderr.off('data', onError);
        child.off('close', onClose);
        finish();
      };
      const onOutput = (data: string) => {
        output += data;
        if (output.endsWith(this.#end)) settle(() => resolve(output.slice(0, -this.#end.length)));
      };
      const onError = (data: string) => {
        errors += data;
      };
      const onClose = () => {
        this.#child = undefined;
        settle(() => reject(new Error(`the reader ended: ${errors}`)));
      };
      child.stdout.on('data', onOutput);
      child.stderr.on('data', onError);
      child.on('close', onClose);
      child.stdin.write(input);
    });
  }
}

/** A child that does not keep this process alive. */
function unreferenced(child: ChildProcessWithoutNullStreams): ChildProcessWithoutNullStreams {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as Socket).unref();
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return child;
}

const exiftoolReader = new FileReader('{ready}\n', async () =>
  spawn('perl', [EXIFTOOL, '-stay_open', 'True', '-@', '-']),
);

/** Names are `GROUP:TAG`, such as `XMP-dc:Title`. */
export const exiftool: Reader = async (file) => {
  const args = ['-json', '-G1', '-a', '-u', '-s', '-struct', '-charset', 'UTF8', file, '-execute'];
  const [tags] = JSON.parse(await exiftoolReader.read(`${args.join('\n')}\n`)) as Record<string, unknown>[];
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

const pythonReader = new FileReader('\n', async () =>
  spawn('python3', [SCRIPT], { env: await pythonReaders() }),
);

/** mutagen, pikepdf, python-docx, python-pptx, openpyxl, odfpy, and Python's XML and HTML parsers. */
export const python: Reader = async (file) => JSON.parse(await pythonReader.read(`${file}\n`)) as Found;

/** The environment for `python3` that finds the packages. */
export function pythonReaders(): Promise<Readonly<Record<string, string | undefined>>> {
  return pythonPackages('embedded-readers-1', PACKAGES);
}

function texts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(texts);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(texts);
  return [String(value)];
}
