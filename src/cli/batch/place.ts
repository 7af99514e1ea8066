/** Paths of local files, also of those whose names are not text. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { lazily } from '../../platform/lazily.js';

export interface Place {
  /** For results and messages: in a name that is not UTF-8, bytes outside ASCII are `\xff`. */
  readonly path: string;
  /** The path for the system, if a name in it is not UTF-8. */
  readonly bytes?: Buffer;
}

const SEPARATOR = 0x2f;
const BACKSLASH = 0x5c;
const ESCAPED = /\\x([0-9a-f]{2})/g;

/** The path that opens a place. */
export function systemPath({ path: text, bytes }: Place): string | Buffer {
  return bytes ?? text;
}

/** The place of a folder's entry. */
export function entryPlace(folder: Place, name: Buffer): Place {
  const text = path.join(folder.path, nameText(name));
  if (folder.bytes === undefined && isUtf8(name)) return { path: text };
  const above = folder.bytes ?? Buffer.from(folder.path);
  const separator = above.at(-1) === SEPARATOR ? '' : '/';
  return { path: text, bytes: Buffer.concat([above, Buffer.from(separator), name]) };
}

/** The last part of a path as text. Bytes that are not UTF-8 are replaced by U+FFFD. */
export function baseName({ path: text, bytes }: Place): string {
  if (bytes === undefined) return path.basename(text);
  return bytes.subarray(bytes.lastIndexOf(SEPARATOR) + 1).toString();
}

/**
 * The place of an argument of this process, which Node.js gives as text: bytes that are not UTF-8 are lost, and are read
 * again from the system. `undefined` if no byte was lost, or where the system does not have them.
 */
export function argumentPlace(argument: string): Place | undefined {
  if (!argument.includes('\ufffd')) return undefined;
  const bytes = givenBytes().get(argument)?.shift();
  if (bytes === undefined || isUtf8(bytes)) return undefined;
  const parts = split(bytes, SEPARATOR).map(nameText);
  return { path: parts.join('/'), bytes };
}

/** The place that a path of results names; `undefined` if no byte in it is escaped. */
export function escapedPlace(text: string): Place | undefined {
  if (text.search(ESCAPED) === -1) return undefined;
  const latin = Buffer.from(text).toString('latin1');
  const bytes = latin.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return { path: text, bytes: Buffer.from(bytes, 'latin1') };
}

/** Arguments of this process that are not UTF-8, by their text, in their order: several may have the same text. */
const givenBytes = lazily((): ReadonlyMap<string, Buffer[]> => {
  const found = new Map<string, Buffer[]>();
  for (const argument of commandLine()) {
    const known = found.get(argument.toString());
    if (known === undefined) found.set(argument.toString(), [argument]);
    else known.push(argument);
  }
  return found;
});

function commandLine(): Buffer[] {
  try {
    // The last part is empty.
    const all = split(readFileSync('/proc/self/cmdline'), 0).slice(0, -1);
    return all.slice(-process.argv.slice(2).length).filter((argument) => !isUtf8(argument));
  } catch {
    return [];
  }
}

function split(bytes: Buffer, separator: number): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(separator); end >= 0; end = bytes.indexOf(separator, start)) {
    parts.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...parts, bytes.subarray(start)];
}

function nameText(name: Buffer): string {
  if (isUtf8(name)) return name.toString();
  return [...name]
    .map((byte) =>
      byte < 0x80 && byte !== BACKSLASH ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`,
    )
    .join('');
}
