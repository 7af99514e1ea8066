/** Maps the tags of a file to fields of the result, and rounds numbers as the reference does. */
import type { EmbeddedMetadata } from '../../result.js';

/** Source tag and result field. The first entry of a field has the highest priority. */
export type TagMap<Field extends string> = readonly (readonly [tag: string, field: Field])[];

/** Fields with a non-empty value in `tags`. */
export function mapTags<Field extends string>(
  map: TagMap<Field>,
  tags: ReadonlyMap<string, string>,
): Partial<Record<Field, string>> {
  const fields: Partial<Record<Field, string>> = {};
  for (const [tag, field] of map) {
    const value = tags.get(tag);
    if (value) fields[field] ??= value;
  }
  return fields;
}

/** Metadata as the addon returns it: embedded fields, and the language of the content. */
export interface AddonMetadata extends EmbeddedMetadata {
  readonly language?: string | undefined;
}

export function splitLanguage(read: AddonMetadata): {
  readonly metadata: EmbeddedMetadata;
  readonly language: string | undefined;
} {
  const { language, ...metadata } = read;
  return { metadata, language };
}

/** Rounds to an integer, ties to even. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Rounds to three decimals, ties to even. A tie is an odd multiple of 1/16, so `value * 1000` is exact. */
export function roundToThousandths(value: number): number {
  const sixteenths = value * 16;
  const isTie = Number.isInteger(sixteenths) && sixteenths % 2 !== 0;
  return isTie ? roundHalfEven(value * 1000) / 1000 : Number(value.toFixed(3));
}
