/**
 * Names of files, from which the format and the title of a file are taken. The rules are those of Python's pathvalidate for
 * the platform "universal", which the reference uses. Without imports: pages use them too.
 */

/** One byte below the limit of file systems, because reserved names get an underscore. */
export const FILENAME_BYTES_MAX = 254;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f/\\:*?"<>|]/g;
/** Windows device names, reserved with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|clock\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;
/** A path with a drive letter or a UNC path. */
const WINDOWS_PATH = /^(?:[A-Za-z]:\\|\\\\)/;
const EXTENSION = /\.[^.]{1,16}$/;

/** The name of an upload, safe for every file system; may be empty. */
export function uploadName(sent: string): string {
  return sanitizeFilename(withoutWindowsPath(sent));
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

/** Cuts the stem and keeps the extension, which determines the format. */
function shorten(name: string): string {
  if (byteLength(name) <= FILENAME_BYTES_MAX) return name;
  const extension = EXTENSION.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - extension.length);
  return cut(stem, FILENAME_BYTES_MAX - byteLength(extension)) + extension;
}

/** The longest prefix of `text` with at most `bytesMax` UTF-8 bytes. */
function cut(text: string, bytesMax: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > bytesMax) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
