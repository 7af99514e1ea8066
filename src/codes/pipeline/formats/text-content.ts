/** Text that was extracted here, handed to the addon for its code and simprints. */
import { native } from '../../../native.js';
import type { FeatureSet } from '../../result.js';
import { type SemanticText, semanticText } from '../semantic/text.js';
import { Stopwatch } from '../stopwatch.js';
import { UNIT_BITS } from '../units.js';
import type { ContentOptions, FormatContent } from './format.js';

/** Also of an empty text, which a scan has; but that has no Semantic-Code. */
export async function textContent(
  text: string,
  { granular, compat, semantic }: ContentOptions,
  watch = new Stopwatch(),
): Promise<Pick<FormatContent, 'unit' | 'facts' | 'features' | 'semanticUnit'>> {
  const options = granular ? { byteOffsets: true, compat } : undefined;
  const { iscc, characters, features } = await watch.measure('content', () =>
    native.textContent(text, UNIT_BITS, options),
  );
  const content = { unit: iscc, facts: { characters } };
  const meaning =
    semantic &&
    (await watch.measure('semantic', async () => semanticText(semantic, await native.textClean(text))));
  return { ...content, ...withMeaning(meaning, features ? [contentFeatures(features)] : undefined) };
}

interface Simprints {
  readonly simprints: readonly string[];
  readonly offsets: Iterable<number>;
  readonly sizes: Iterable<number>;
}

export function contentFeatures({ simprints, offsets, sizes }: Simprints): FeatureSet {
  const kind = { maintype: 'content', subtype: 'text', version: 0, byte_offsets: true } as const;
  return { ...kind, simprints, offsets: [...offsets], sizes: [...sizes] };
}

/** Feature sets are there if they are asked for; the semantic one comes first. */
export function withMeaning(
  meaning: SemanticText | undefined,
  features: readonly FeatureSet[] | undefined,
): Pick<FormatContent, 'features' | 'semanticUnit'> {
  if (meaning === undefined) return features ? { features } : {};
  return {
    semanticUnit: meaning.unit,
    ...(features && { features: [meaning.features, ...features] }),
  };
}
