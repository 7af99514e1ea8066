/** Maps the container's global tags to metadata fields, and back for writing. */
import type { ContentFacts, EmbeddedMetadata } from '../../result.js';
import type { Probe } from '../tools/probe.js';
import { mapTags, roundHalfEven, roundToThousandths, type TagMap } from './metadata-fields.js';
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

/** Line breaks are stored as these two characters, as the reference does. */
const STORED_LINE_BREAK = '\\n';
/** Marks a file whose values contain these two characters literally; its line breaks are stored unescaped. */
const VERBATIM = 'iscc_verbatim';

export function videoMetadata({ tags }: Probe): EmbeddedMetadata {
  const mapped = mapTags(TAGS, tags);
  if (tags.has(VERBATIM)) return mapped;
  const fields = Object.entries(mapped);
  return Object.fromEntries(
    fields.map(([field, value]) => [field, value.replaceAll(STORED_LINE_BREAK, '\n')]),
  );
}

/** Size and frame rate come from the first video stream. */
export function videoFacts({ duration, tags, streams }: Probe): ContentFacts {
  const videos = streams.filter((stream) => stream.kind === 'video');
  const durations = [duration, ...videos.map((stream) => stream.duration)].filter((one) => one !== undefined);
  const { width, height, frameRate } = videos[0] ?? {};
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

/** BCP 47 form of an ISO 639-2 code (`ger` becomes `de`) or of a tag; `undefined` if it is neither. */
function languageTag(text = ''): string | undefined {
  const tag = text.replaceAll('_', '-');
  if (!/^[a-z]{2,3}(-|$)/i.test(tag)) return undefined;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** Fields and the tags they are written to. Credit, identifier and keywords are not written. */
const WRITTEN = [
  ['name', 'iscc_name'],
  ['description', 'iscc_description'],
  ['meta', 'iscc_meta'],
  ['creator', 'author'],
  ['rights', 'copyright'],
  ['license', 'license'],
  ['acquire', 'acquire'],
] as const satisfies readonly (readonly [keyof EmbeddedMetadata, string])[];

/** Tags to write for `fields`, and all descriptive tags to remove first. */
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
