/** Embeds metadata into images, in the XMP properties that other ISCC software reads. */
import type { EmbeddedMetadata } from '../result.js';
import { type TagValue, writeTags } from './exiftool.js';

export const EMBEDDABLE_IMAGES: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/webp',
]);

type Field = keyof EmbeddedMetadata;

/** The reference reads no property for `credit` and `keywords`, so they are not written. */
const TAGS: Readonly<Partial<Record<Field, readonly string[]>>> = {
  name: ['XMP-iscc:Name', 'XMP-dc:Title'],
  description: ['XMP-iscc:Description', 'XMP-dc:Description'],
  meta: ['XMP-iscc:Meta'],
  creator: ['XMP-dc:Creator'],
  license: ['XMP-xmpRights:WebStatement'],
  acquire: ['XMP-plus:LicensorURL'],
  rights: ['XMP-dc:Rights'],
  identifier: ['XMP-dc:Identifier'],
};

/** Existing creators are kept. */
const APPENDED: ReadonlySet<string> = new Set(['XMP-dc:Creator']);

/** Resolves to false if `fields` has nothing that can be embedded into an image. */
export async function embedIntoImage(path: string, fields: EmbeddedMetadata): Promise<boolean> {
  const values = tagValues(fields);
  if (values.length > 0) await writeTags(path, values);
  return values.length > 0;
}

function tagValues(fields: EmbeddedMetadata): TagValue[] {
  return Object.entries(TAGS).flatMap(([field, tags]) => {
    const value = fields[field as Field];
    return value === undefined ? [] : tags.map((tag) => ({ tag, value, append: APPENDED.has(tag) }));
  });
}
