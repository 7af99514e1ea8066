/** Runs embed jobs: writes the fields, then extracts the metadata of the copy afresh and compares. */
import { native } from '../../../native.js';
import { CodesRefusal } from '../errors.js';
import { FIELDS, type Field, familyOf, keywordList } from '../metadata/places.js';
import { metadataOf } from './content.js';
import { checkBoxes } from './formats/cost.js';
import { loadFormat } from './formats/table.js';
import type { EmbedJob } from './jobs.js';

/**
 * Writes the fields of the job into its file.
 *
 * @returns the fields that the file does not show afterwards
 * @throws {CodesRefusal} `EMBEDDING_UNSUPPORTED` if the format has no place for metadata, `EMBEDDING_LOST` if the file
 * shows none of the fields
 */
export async function embedInto(job: EmbedJob): Promise<readonly Field[]> {
  const { fields, mediatype } = job;
  const format = await loadFormat(job.format);
  if (format.embed === undefined || familyOf(mediatype) === undefined) {
    throw new CodesRefusal('EMBEDDING_UNSUPPORTED', { mediatype });
  }
  checkBoxes(job);
  const given = FIELDS.filter((field) => fields[field]);
  if (given.length > 0) await format.embed(job, fields);
  const found = await metadataOf({ ...job, kind: 'extract' });
  const missing = given.filter((field) => !isSame(field, fields[field], found[field]));
  if (given.length > 0 && missing.length === given.length) {
    throw new CodesRefusal('EMBEDDING_LOST', { mediatype, fields: given.join(', ') });
  }
  return missing;
}

/** Whether both are the same text: extraction drops markup and superfluous white space. */
function isSame(field: Field, given = '', found = ''): boolean {
  const [one, other] = [given, found].map((text) => {
    const plain = native.plainText(text).normalize('NFC');
    return field === 'keywords' ? keywordList(plain).join(', ') : plain;
  });
  return one === other;
}
