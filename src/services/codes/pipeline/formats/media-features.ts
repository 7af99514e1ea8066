/** Experimental simprints of parts of sounds and films. Design: docs/design/clips.md. */
import type { native } from '../../../../native.js';
import type { Stopwatch } from '../stopwatch.js';
import type { ContentOptions, FormatContent } from './format.js';

/** The features that the options ask for. A content of which no part says enough has no feature set. */
export async function mediaFeatures(
  { granular, granularMedia }: Partial<Pick<ContentOptions, 'granular' | 'granularMedia'>>,
  subtype: 'audio' | 'video',
  watch: Stopwatch,
  read: () => ReturnType<typeof native.videoFeatures>,
): Promise<Pick<FormatContent, 'features'>> {
  if (!granular || !granularMedia) return {};
  const { simprints, offsets, sizes } = await watch.measure('features', read);
  if (simprints.length === 0) return {};
  return { features: [{ maintype: 'content', subtype, version: 0, simprints, offsets, sizes }] };
}
