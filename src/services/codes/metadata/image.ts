/** Embeds metadata into images: XMP in all of them, and EXIF, IPTC and PNG text in step where they exist. */
import type { EmbeddedMetadata } from '../result.js';
import { type TagValue, writeTags } from './exiftool.js';
import { familyOf, placed } from './places.js';

/** Tags that hold each keyword as a value of its own. */
const LISTS: ReadonlySet<string> = new Set(['XMP-dc:Subject', 'IPTC:Keywords']);

/** Resolves to false if `fields` has nothing that can be embedded into an image. */
export async function embedIntoImage(
  path: string,
  fields: EmbeddedMetadata,
  mediatype = 'image/jpeg',
): Promise<boolean> {
  const family = familyOf(mediatype);
  const values = (places: Parameters<typeof placed>[0]): TagValue[] =>
    placed(places, fields, (place) => LISTS.has(place)).map(([tag, value]) => ({ tag, value }));
  const written = values(family?.written);
  const options = { mayWrap: mediatype === 'image/jxl' };
  if (written.length > 0) await writeTags(path, written, values(family?.replaced), options);
  return written.length > 0;
}
