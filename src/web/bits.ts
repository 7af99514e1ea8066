/** A unit's digest as a picture: one square per bit, so that the eye can compare. */

const SVG = 'http://www.w3.org/2000/svg';
const COLUMNS = 16;

/**
 * Draws `bits` (a string of 0 and 1, most significant first) row by row. With `other`, squares that
 * differ within the common length stand out.
 */
export function bitPicture(bits: string, label: string, other?: string): SVGSVGElement {
  const rows = Math.ceil(bits.length / COLUMNS);
  const picture = document.createElementNS(SVG, 'svg');
  picture.setAttribute('class', 'bits');
  picture.setAttribute('viewBox', `0 0 ${COLUMNS} ${rows}`);
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', label);
  for (let index = 0; index < bits.length; index += 1) {
    const square = document.createElementNS(SVG, 'rect');
    square.setAttribute('x', String(index % COLUMNS));
    square.setAttribute('y', String(Math.floor(index / COLUMNS)));
    square.setAttribute('width', '0.9');
    square.setAttribute('height', '0.9');
    const differs = other !== undefined && index < other.length && other[index] !== bits[index];
    square.setAttribute('class', differs ? 'differs' : bits[index] === '1' ? 'on' : 'off');
    picture.append(square);
  }
  return picture;
}

/** How many of the common leading bits are equal, 0 to 1. */
export function similarity(a: string, b: string): number {
  const common = Math.min(a.length, b.length);
  let equal = 0;
  for (let index = 0; index < common; index += 1) if (a[index] === b[index]) equal += 1;
  return common === 0 ? 0 : equal / common;
}
