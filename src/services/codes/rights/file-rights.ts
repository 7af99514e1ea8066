/** Reads the fields of a file that speak about mining and training. */
import { type FileRights, type RightsField, VALUE_CHARS_MAX } from '../../../content/rights.js';
import { CodesRefusal } from '../errors.js';
import { epubFields } from './epub-rights.js';
import { htmlFields } from './html-rights.js';

type Reader = (path: string) => Promise<readonly RightsField[]>;

/** Types whose reservation is not in XMP, as the TDMRep report says. */
const READERS: Readonly<Record<string, Reader>> = {
  'text/html': htmlFields,
  'application/xhtml+xml': htmlFields,
  'application/epub+zip': epubFields,
};

/** Loads on first use, because the schemas take a large part of a worker's start. */
const xmpFields: Reader = async (path) => (await import('./xmp-rights.js')).xmpFields(path);

/** Types that can not have such fields. */
const SILENT = /^(?:text\/(?!html)|application\/(?:json|xml|rtf|vnd\.openxmlformats|vnd\.oasis))/;

/** Never rejects: what can't be read is named in the result. */
export async function readFileRights(path: string, mediatype: string): Promise<FileRights> {
  if (SILENT.test(mediatype)) return { fields: [] };
  const read = READERS[mediatype] ?? xmpFields;
  try {
    const fields = await read(path);
    return { fields: fields.map((field) => ({ ...field, value: field.value.slice(0, VALUE_CHARS_MAX) })) };
  } catch (error) {
    return { fields: [], unread: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof CodesRefusal && error.code === 'PERL_MISSING'
    ? 'the metadata of the file was not read: perl is not installed on the server'
    : 'the metadata of the file could not be read';
}
