/** Media types that a sender claims: the file name they stand for, and whether content is of that type. */

/** Extensions of types whose content has no signature, or one that several types share. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/epub+zip': 'epub',
  'application/json': 'json',
  'application/msword': 'doc',
  'application/rtf': 'rtf',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/xhtml+xml': 'xhtml',
  'application/xml': 'xml',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg',
  'audio/opus': 'opus',
  'image/svg+xml': 'svg',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/xml': 'xml',
};

/** Other names of the types that detection returns. */
const ALIASES: Readonly<Record<string, string>> = {
  'application/ogg': 'video/ogg',
  'application/xml': 'text/xml',
  'audio/mp3': 'audio/mpeg',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-aiff': 'audio/aiff',
  'audio/x-flac': 'audio/flac',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-wav': 'audio/wav',
  'image/jpg': 'image/jpeg',
  'image/x-ms-bmp': 'image/bmp',
  'image/x-png': 'image/png',
  'video/x-msvideo': 'video/avi',
};

/** Types that share a container, so that a signature can't tell them apart. */
const CONTAINERS: readonly ReadonlySet<string>[] = [
  new Set(['audio/mp4', 'video/mp4', 'video/quicktime', 'video/x-m4v', 'video/3gpp', 'audio/3gpp']),
  new Set(['audio/ogg', 'video/ogg', 'audio/opus']),
  new Set(['audio/webm', 'video/webm', 'video/x-matroska', 'audio/x-matroska']),
  new Set(['image/heic', 'image/heif']),
];

/** A file name whose extension says the claimed type, where the content alone does not. */
export function nameForType(claimed: string | undefined): string {
  const extension = claimed === undefined ? undefined : EXTENSIONS[essence(claimed)];
  return extension === undefined ? 'asset' : `asset.${extension}`;
}

/** Whether content of a detected type may be called by a claimed type. */
export function isSameType(claimed: string, detected: string): boolean {
  const name = essence(claimed);
  const type = ALIASES[name] ?? name;
  return type === detected || CONTAINERS.some((types) => types.has(type) && types.has(detected));
}

/** The type without parameters, in lower case. */
function essence(mediatype: string): string {
  return (mediatype.split(';', 1)[0] ?? '').trim().toLowerCase();
}
