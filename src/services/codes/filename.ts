/**
 * Decodes the file name that a request sends and makes it safe for every file system. The rules are those of
 * Python's pathvalidate for the platform "universal", which the reference uses.
 */
import type { SentFilename } from '../../content/sent-filename.js';
import { CodesRefusal } from './errors.js';

/** One byte below the limit of file systems, because reserved names get an underscore. */
export const FILENAME_BYTES_MAX = 254;

/** Name of a file whose source gives none. */
export const DEFAULT_FILENAME = 'download';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f/\\:*?"<>|]/g;
/** Windows device names, reserved with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|clock\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;
/** A path with a drive letter or a UNC path. */
const WINDOWS_PATH = /^(?:[A-Za-z]:\\|\\\\)/;
const EXTENSION = /\.[^.]{1,16}$/;

/** Decodes and sanitises the name of an upload. @throws {CodesRefusal} if it is missing or invalid */
export function filenameOf(sent: SentFilename | undefined): string {
  if (sent === undefined || sent.value === '') throw new CodesRefusal('FILENAME_MISSING');
  const name = sanitizeFilename(withoutWindowsPath(decoded(sent)));
  if (name === '') throw new CodesRefusal('FILENAME_EMPTY');
  return name;
}

function decoded({ form, value }: SentFilename): string {
  switch (form) {
    case 'text':
      return value;
    case 'undecodable':
      throw new CodesRefusal('FILENAME_NOT_UTF8');
    case 'base64':
      if (!BASE64.test(value)) throw new CodesRefusal('FILENAME_NOT_BASE64');
      return decodeUtf8(Buffer.from(value, 'base64'));
    default:
      return form satisfies never;
  }
}

/**
 * The last part of an absolute Windows path: `C:\\photos\\cat.jpg` becomes `cat.jpg`. The reference joins the parts to
 * `Cphotoscat.jpg`, which would become the title. Backslashes in other names are removed as in the reference.
 */
function withoutWindowsPath(name: string): string {
  return WINDOWS_PATH.test(name) ? name.slice(name.lastIndexOf('\\') + 1) : name;
}

/** A single path segment without special meaning on any file system; may be empty. */
export function sanitizeFilename(name: string): string {
  const allowed = shorten(name.replace(FORBIDDEN, ''));
  const trimmed = allowed.replace(/^ +/, '').replace(/[ .]+$/, '');
  if (trimmed.trim() === '') return '';
  const [root = ''] = trimmed.split('.', 1);
  return RESERVED.test(root) ? `${root}_${trimmed.slice(root.length)}` : trimmed;
}

/** Derives a title: `my-notes_v2.txt` becomes "my notes v2". */
export function titleFromFilename(filename: string): string {
  const stem = filename.replace(/(?<=[^.])\.[^.]*$/, '');
  return stem.replace(/[-_]/g, ' ');
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CodesRefusal('FILENAME_NOT_UTF8');
  }
}

/** Cuts the stem and keeps the extension, which determines the format. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= FILENAME_BYTES_MAX) return name;
  const extension = EXTENSION.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - extension.length);
  return cut(stem, FILENAME_BYTES_MAX - Buffer.byteLength(extension)) + extension;
}

/** The longest prefix of `text` with at most `bytesMax` UTF-8 bytes. */
function cut(text: string, bytesMax: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > bytesMax) break;
    end += character.length;
  }
  return text.slice(0, end);
}
