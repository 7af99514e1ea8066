/** Descriptions inside video files: the container's global tags. */
import type { ContentFacts, EmbeddedMetadata } from '../../result.js';
import type { Probe } from '../tools/probe.js';
import { roundHalfEven, roundToThousandths } from './rounding.js';
import { mapTags, type TagMap } from './tag-map.js';
import type { TagChange } from './video-box-tags.js';

const TAGS = [
  ['iscc_name', 'name'],
  ['iscc_description', 'description'],
  ['iscc_meta', 'meta'],
  ['title', 'name'],
  ['track', 'name'],
  ['show', 'name'],
  ['album', 'name'],
  ['description', 'description'],
  ['synopsis', 'description'],
  ['comment', 'description'],
  ['author', 'creator'],
  ['composer', 'creator'],
  ['artist', 'creator'],
  ['album_artist', 'creator'],
  ['copyright', 'rights'],
  ['license', 'license'],
  ['acquire', 'acquire'],
] as const satisfies TagMap<keyof EmbeddedMetadata>;

/** A line break inside a value is stored as these two characters, as the reference does it. */
const STORED_LINE_BREAK = '\\n';
/** Is there where values have those two characters of their own, and so line breaks as they are. */
const VERBATIM = 'iscc_verbatim';

export function videoMetadata({ tags }: Probe): EmbeddedMetadata {
  const mapped = mapTags(TAGS, tags);
  if (tags.has(VERBATIM)) return mapped;
  const fields = Object.entries(mapped);
  return Object.fromEntries(
    fields.map(([field, value]) => [field, value.replaceAll(STORED_LINE_BREAK, '\n')]),
  );
}

/** Size and frame rate are those of the first picture stream. */
export function videoFacts({ duration, tags, streams }: Probe): ContentFacts {
  const pictures = streams.filter((stream) => stream.kind === 'video');
  const durations = [duration, ...pictures.map((stream) => stream.duration)].filter(
    (one) => one !== undefined,
  );
  const { width, height, frameRate } = pictures[0] ?? {};
  const languages = [tags, ...streams.map((stream) => stream.tags)].map((all) => all.get('language'));
  const language = languageTag(languages.find((one) => one !== undefined));
  return {
    ...(durations.length > 0 && { duration: roundHalfEven(Math.max(...durations)) }),
    ...(frameRate && { fps: roundToThousandths(frameRate) }),
    ...(width && { width }),
    ...(height && { height }),
    ...(language && { language }),
  };
}

/** The BCP 47 form of an ISO 639-2 code (`ger` is `de`) or tag; nothing for what is neither. */
function languageTag(text = ''): string | undefined {
  const tag = text.replaceAll('_', '-');
  if (!/^[a-z]{2,3}(-|$)/i.test(tag)) return undefined;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** What is written, and under which tag. Credit, identifier and keywords have none. */
const WRITTEN = [
  ['name', 'iscc_name'],
  ['description', 'iscc_description'],
  ['meta', 'iscc_meta'],
  ['creator', 'author'],
  ['rights', 'copyright'],
  ['license', 'license'],
  ['acquire', 'acquire'],
] as const satisfies readonly (readonly [keyof EmbeddedMetadata, string])[];

/** The tags that hold `fields`; their old values and others that were read go. */
export function videoTags(fields: EmbeddedMetadata): TagChange {
  const given = WRITTEN.flatMap(([field, tag]): [string, string][] => {
    const value = fields[field]?.replaceAll('\0', '');
    return value ? [[tag, value]] : [];
  });
  const isVerbatim = given.some(([, value]) => value.includes(STORED_LINE_BREAK));
  const stored = given.map(([tag, value]): [string, string] => [
    tag,
    value.replaceAll('\n', STORED_LINE_BREAK),
  ]);
  return {
    written: new Map(isVerbatim ? [...given, [VERBATIM, '1']] : stored),
    removed: new Set([...TAGS.map(([tag]) => tag), VERBATIM]),
  };
}
