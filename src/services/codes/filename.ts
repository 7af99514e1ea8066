/** Decodes the file name that a request sends. */
import type { SentFilename } from '../../content/sent-filename.js';
import { uploadName } from '../../iscc/filename.js';
import { CodesRefusal } from './errors.js';

/** Name of a file whose source gives none. */
export const DEFAULT_FILENAME = 'download';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes and sanitises the name of an upload. @throws {CodesRefusal} if it is missing or invalid */
export function filenameOf(sent: SentFilename | undefined): string {
  if (sent === undefined || sent.value === '') throw new CodesRefusal('FILENAME_MISSING');
  const name = uploadName(decoded(sent));
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

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CodesRefusal('FILENAME_NOT_UTF8');
  }
}
