/** `isccd extract FILE`: what codes are made of: metadata, text and thumbnail of a file. */
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { printable } from '../../platform/printable.js';
import { FIELDS } from '../../services/codes/metadata/places.js';
import type { Processing } from '../../services/codes/pipeline/pipeline.js';
import { orderedResult } from '../../services/codes/result.js';
import { accessError } from '../batch/walk.js';
import { safeName, withPipeline } from '../input/local-pipeline.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, reasons } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';

export interface ExtractOptions {
  readonly json?: boolean;
  /** Whether to print the text only. */
  readonly text?: boolean;
  /** File for the thumbnail, a WebP image. */
  readonly thumbnail?: string;
}

/** The members that describe the content; codes and hashes are those of `isccd code`. */
const SHOWN = [
  'mediatype',
  'mode',
  ...FIELDS,
  'duration',
  'fps',
  'width',
  'height',
  'characters',
  'language',
] as const;

export async function extract(file: string, options: ExtractOptions): Promise<void> {
  const { result, nameWasRead, text } = await processed(file);
  const { thumbnail, ...all } = orderedResult(result);
  // A name that was made from the file name was not extracted.
  const { name, ...others } = all;
  const shown = nameWasRead ? { name, ...others } : others;
  const fields = SHOWN.flatMap((field): [string, unknown][] => {
    const value = (shown as Readonly<Record<string, unknown>>)[field];
    return value === undefined ? [] : [[field, value]];
  });
  if (options.thumbnail !== undefined) await saveThumbnail(file, thumbnail, options.thumbnail);
  if (options.json) printJson({ path: file, ...Object.fromEntries(fields), text, thumbnail });
  else if (options.text) process.stdout.write(withLineFeed(textOf(file, text)));
  else {
    const paint = painter(process.stdout);
    for (const [field, value] of fields)
      process.stdout.write(`${paint('dim', field.padEnd(12))}${printable(String(value))}\n`);
    if (text !== undefined) process.stdout.write(`\n${withLineFeed(text)}`);
  }
}

async function processed(file: string): Promise<Processing> {
  return withPipeline({ files: 1 }, async ({ pipeline }) => {
    try {
      const found = await stat(file).catch((error: unknown) => {
        throw new CommandFailed(accessError(error).message);
      });
      // A pipe without a writer would never end.
      if (!found.isFile()) throw new CommandFailed('not a file');
      const source = await pipeline.open(path.resolve(file), safeName(path.basename(file)));
      const { signal } = new AbortController();
      return await pipeline.process(source, { granular: false, semantic: false, keepText: true }, signal);
    } catch (error) {
      throw new CommandFailed(printable(`${file}: ${reasons(error)}`));
    }
  });
}

function textOf(file: string, text: string | undefined): string {
  if (text === undefined) throw new CommandFailed(`${printable(file)}: only text documents have a text`);
  return text;
}

function withLineFeed(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

async function saveThumbnail(file: string, thumbnail: string | undefined, target: string): Promise<void> {
  if (thumbnail === undefined) throw new CommandFailed(`${printable(file)}: the file has no thumbnail`);
  try {
    await writeFile(target, Buffer.from(thumbnail.slice(thumbnail.indexOf(',') + 1), 'base64'));
  } catch (error) {
    throw new CommandFailed(`--thumbnail: ${reasons(error)}`);
  }
}
