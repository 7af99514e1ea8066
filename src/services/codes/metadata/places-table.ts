/** The table of places for the documentation. */
import { FAMILIES, type Family, FIELDS } from './places.js';

/** Markdown: a section per family, with a row per field. */
export function placesSection(): string {
  return FAMILIES.map(familySection).join('\n');
}

function familySection({ title, mediatypes, note, written, replaced = {} }: Family): string {
  const rows = FIELDS.map((field) => row(field, list(written[field]), list(replaced[field])));
  const types = mediatypes.map((mediatype) => `\`${mediatype}\``).join(', ');
  return [
    `#### ${title}\n`,
    `Types: ${types}.\n`,
    ...(note === undefined ? [] : [`${note}\n`]),
    row('field', 'written', 'replaced where present'),
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function list(places: readonly string[] = []): string {
  return places.map((place) => `\`${place}\``).join(', ');
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
