/** Passes text extracted in JavaScript to the addon for its Text-Code and simprints. */
import { UNIT_BITS } from '../../../../iscc/file-meta.js';
import { native } from '../../../../native.js';
import type { FeatureSet } from '../../result.js';
import { type SemanticText, semanticText } from '../semantic/text.js';
import { Stopwatch } from '../stopwatch.js';
import type { ContentOptions, FormatContent } from './format.js';

/** Texts of a document. Those that are absent are the first one. */
export interface ContentTexts {
  /** The input of Text-Code and Semantic-Code. */
  readonly coded: string;
  /** The input of simprints. The text that a reader gets begins with it, so that offsets are right in both. */
  readonly simprinted?: string;
  /** The text that a reader gets. */
  readonly shown?: string;
}

/** An empty text (a scanned document) has a Text-Code but no Semantic-Code. */
export async function textContent(
  { coded, simprinted = coded, shown = coded }: ContentTexts,
  { granular, compat, semantic, keepText }: ContentOptions,
  watch = new Stopwatch(),
): Promise<Pick<FormatContent, 'unit' | 'facts' | 'features' | 'semanticUnit' | 'text'>> {
  const options = granular ? { byteOffsets: true, compat } : undefined;
  const { iscc, characters, features } = await watch.measure('content', async () => {
    const code = await native.textContent(coded, UNIT_BITS, options);
    if (!granular || simprinted === coded) return code;
    return { ...code, features: (await native.textContent(simprinted, UNIT_BITS, options)).features };
  });
  const clean = semantic ? await native.textClean(coded) : '';
  const text = keepText && { text: await native.textClean(shown) };
  const content = { unit: iscc, facts: { characters }, ...text };
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
