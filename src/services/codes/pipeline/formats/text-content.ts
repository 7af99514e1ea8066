/** Passes text extracted in JavaScript to the addon for its Text-Code and simprints. */
import { native } from '../../../../native.js';
import type { FeatureSet } from '../../result.js';
import { UNIT_BITS } from '../addon-calls.js';
import { type SemanticText, semanticText } from '../semantic/text.js';
import { Stopwatch } from '../stopwatch.js';
import type { ContentOptions, FormatContent } from './format.js';

/** An empty text (a scanned document) has a Text-Code but no Semantic-Code. */
export async function textContent(
  text: string,
  { granular, compat, semantic, keepText }: ContentOptions,
  watch = new Stopwatch(),
): Promise<Pick<FormatContent, 'unit' | 'facts' | 'features' | 'semanticUnit' | 'text'>> {
  const options = granular ? { byteOffsets: true, compat } : undefined;
  const { iscc, characters, features } = await watch.measure('content', () =>
    native.textContent(text, UNIT_BITS, options),
  );
  const clean = semantic || keepText ? await native.textClean(text) : '';
  const content = { unit: iscc, facts: { characters }, ...(keepText && { text: clean }) };
  const semantics = semantic && (await watch.measure('semantic', () => semanticText(semantic, clean)));
  return { ...content, ...withSemantics(semantics, features ? [contentFeatures(features)] : undefined) };
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

/** Adds the Semantic-Code and, if requested, the feature sets with the semantic one first. */
export function withSemantics(
  semantics: SemanticText | undefined,
  features: readonly FeatureSet[] | undefined,
): Pick<FormatContent, 'features' | 'semanticUnit'> {
  if (semantics === undefined) return features ? { features } : {};
  return {
    semanticUnit: semantics.unit,
    ...(features && { features: [semantics.features, ...features] }),
  };
}
