/** Tables from a format's own tag names to fields of the result. */

/** Source name and field, the preferred source of each field first. */
export type TagMap<Field extends string> = readonly (readonly [tag: string, field: Field])[];

/** The fields that have a value in `tags`; the first one that does wins. */
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
