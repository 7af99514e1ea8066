/** Text that was extracted here, handed to the addon for its code and simprints. */
import { native } from '../../../native.js';
import { UNIT_BITS } from '../units.js';
import type { ContentOptions, FormatContent } from './format.js';

/** Also of an empty text, which a scan has. */
export async function textContent(
  text: string,
  { granular, compat }: ContentOptions,
): Promise<Pick<FormatContent, 'unit' | 'facts' | 'features'>> {
  const options = granular ? { byteOffsets: true, compat } : undefined;
  const { iscc, characters, features } = await native.textContent(text, UNIT_BITS, options);
  const content = { unit: iscc, facts: { characters } };
  if (!features) return content;
  const { simprints, offsets, sizes } = features;
  const kind = { maintype: 'content', subtype: 'text', version: 0, byte_offsets: true } as const;
  return { ...content, features: [{ ...kind, simprints, offsets: [...offsets], sizes: [...sizes] }] };
}
