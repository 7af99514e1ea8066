/** How a picture looks to another one: mirrored, turned, or both. */

/** In the order of the addon's codes. */
export const SYMMETRIES = [
  'mirrored',
  'flipped',
  'turned by half',
  'transposed',
  'turned left',
  'turned right',
  'transposed across',
] as const;

export type Symmetry = (typeof SYMMETRIES)[number];

/** What the original looks like to a picture that is mirrored or turned so. */
export function undone(symmetry: Symmetry): Symmetry {
  if (symmetry === 'turned left') return 'turned right';
  return symmetry === 'turned right' ? 'turned left' : symmetry;
}
