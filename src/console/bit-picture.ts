/** Draws the bits of a unit as a grid of squares, for visual comparison. */

const SVG = 'http://www.w3.org/2000/svg';
const COLUMNS = 16;
const SQUARE = 'h.88v.88h-.88z';

/**
 * Draws `bits` (a string of 0 and 1, most significant first) row by row. With `other`, bits that differ within the
 * common length are highlighted.
 */
export function bitPicture(bits: string, label: string, other?: string): SVGSVGElement {
  const rows = Math.ceil(bits.length / COLUMNS);
  const picture = document.createElementNS(SVG, 'svg');
  picture.setAttribute('class', 'bits');
  picture.setAttribute('viewBox', `0 0 ${COLUMNS} ${rows}`);
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', label);
  // One path per kind of square. One element per square would add tens of thousands to a page of results.
  const paths: Record<'on' | 'off' | 'differs', string> = { on: '', off: '', differs: '' };
  for (let index = 0; index < bits.length; index += 1) {
    const differs = other !== undefined && index < other.length && other[index] !== bits[index];
    const kind = differs ? 'differs' : bits[index] === '1' ? 'on' : 'off';
    paths[kind] += `M${index % COLUMNS} ${Math.floor(index / COLUMNS)}${SQUARE}`;
  }
  for (const [kind, squares] of Object.entries(paths)) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('class', kind);
    path.setAttribute('d', squares);
    picture.append(path);
  }
  return picture;
}

/** Number of differing bits within the common length, and that length. */
export function difference(a: string, b: string): { differing: number; common: number } {
  const common = Math.min(a.length, b.length);
  let differing = 0;
  for (let index = 0; index < common; index += 1) if (a[index] !== b[index]) differing += 1;
  return { differing, common };
}
