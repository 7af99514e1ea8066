/** Embeds metadata into images, as XMP where other ISCC software looks for it. */
import type { EmbeddedMetadata } from '../result.js';
import { type TagValue, writeTags } from './exiftool.js';

export const EMBEDDABLE_IMAGES: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/webp',
]);

type Field = keyof EmbeddedMetadata;

/** `credit` and `keywords` have no place that the reference reads. */
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

/** A work keeps the creators it has. */
const APPENDED: ReadonlySet<string> = new Set(['XMP-dc:Creator']);

/** Resolves to false when there is nothing to embed that an image can hold. */
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
