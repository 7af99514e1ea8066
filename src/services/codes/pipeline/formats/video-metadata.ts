/** Maps the container's global tags to metadata fields, and back for writing. */
import { familyOf, type PlaceValue, placed } from '../../metadata/places.js';
import type { ContentFacts, EmbeddedMetadata } from '../../result.js';
import { type Probe, selectedVideo, type Tags } from '../../tools/probe.js';
import { mapTags, roundHalfEven, roundToThousandths, type TagMap } from './metadata-fields.js';
import { isAtom, type TagChange } from './video-box-tags.js';

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
  ['credit', 'credit'],
  ['identifier', 'identifier'],
  ['keywords', 'keywords'],
] as const satisfies TagMap<keyof EmbeddedMetadata>;

/** Line breaks are stored as these two characters, as the reference does. */
const STORED_LINE_BREAK = '\\n';
/** Marks a file whose values contain these two characters literally; its line breaks are stored unescaped. */
const VERBATIM = 'iscc_verbatim';

export function videoMetadata({ tags }: Pick<Probe, 'tags'>): EmbeddedMetadata {
  const mapped = mapTags(TAGS, tags);
  if (tags.has(VERBATIM)) return mapped;
  const fields = Object.entries(mapped);
  return Object.fromEntries(
    fields.map(([field, value]) => [field, value.replaceAll(STORED_LINE_BREAK, '\n')]),
  );
}

/** Fields that the Meta-Code does not depend on, or that only ISCC software writes. */
const BEYOND_REFERENCE: ReadonlySet<string> = new Set([
  ...['iscc_name', 'iscc_description', 'iscc_meta', 'author', 'copyright', 'license', 'acquire', 'credit'],
  ...['identifier', 'keywords', VERBATIM],
]);

/**
 * Metadata of the streams of an Ogg file, which has no tags of its own. The reference does not read them, so name and
 * description are only read from the tags of ISCC software.
 */
export function streamMetadata({ streams }: Probe): EmbeddedMetadata {
  return videoMetadata({ tags: ownStreamTags({ streams }) });
}

/** The tags of streams that `streamMetadata` reads. */
export function ownStreamTags({ streams }: Pick<Probe, 'streams'>): Tags {
  const all = streams.flatMap(({ tags }) => [...tags]).filter(([tag]) => BEYOND_REFERENCE.has(tag));
  return new Map(all.reverse());
}

/** Size and frame rate are those of the stream of which the code is made, duration that of the longest one. */
export function videoFacts({ duration, tags, streams }: Probe): ContentFacts {
  const videos = streams.filter((stream) => stream.kind === 'video');
  const durations = [duration, ...videos.map((stream) => stream.duration)].filter((one) => one !== undefined);
  const { width, height, frameRate } = selectedVideo(streams) ?? {};
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

/** Tags for which the reference reads line breaks as two characters; its own and those without another standard. */
function isEscaped(tag: string): boolean {
  return !PLAIN.has(tag.toLowerCase());
}

/** Tags that other programs read, so their line breaks are kept. */
const PLAIN: ReadonlySet<string> = new Set(['title', 'description', 'artist', 'purchase_info']);

/**
 * Tags to write for `fields` into a file of this type with the given tags, and tags with older values to remove first.
 * One marker holds for all values of a file: a file that has it keeps it, and one that gets it has its other values
 * written again.
 */
export function videoTags(fields: EmbeddedMetadata, mediatype: string, present: Tags): TagChange {
  const needsMarker = Object.values(fields).some((value) => value?.includes(STORED_LINE_BREAK));
  const isVerbatim = present.has(VERBATIM) || needsMarker;
  const isSwitch = isVerbatim && !present.has(VERBATIM);
  const all = isSwitch ? { ...videoMetadata({ tags: present }), ...fields } : fields;
  return tagChange(all, mediatype, isVerbatim);
}

function tagChange(fields: EmbeddedMetadata, mediatype: string, isVerbatim: boolean): TagChange {
  const family = familyOf(mediatype);
  const clean: EmbeddedMetadata = Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, value?.replaceAll('\0', '')]),
  );
  const given = placed(family?.written, clean);
  const tags = given.filter(([tag]) => !isAtom(tag));
  const stored = tags.map(([tag, value]): [string, string] => [
    tag,
    isEscaped(tag) && !isVerbatim ? value.replaceAll('\n', STORED_LINE_BREAK) : value,
  ]);
  const old = lowerCased(placed(family?.replaced, clean));
  return {
    written: new Map(isVerbatim ? [...stored, [VERBATIM, '1']] : stored),
    atoms: new Map(given.filter(([tag]) => isAtom(tag))),
    replaced: new Map(old),
    removed: new Set([...lowerCased(stored), ...old, [VERBATIM] as const].map(([tag]) => tag)),
  };
}

function lowerCased(tags: readonly PlaceValue[]): readonly PlaceValue[] {
  return tags.map(([tag, value]) => [tag.toLowerCase(), value]);
}
