/** Maps media types to format modules. A new format needs a module in this folder and an entry here. */
import { familyOf } from '../../metadata/places.js';
import type { FormatName, Mode } from '../../result.js';
import { canDecodeHeif } from '../../tools/heif.js';
import { canDecodeBySharp } from '../../tools/sharp.js';
import type { Format } from './format.js';

/** Modules are loaded on first use, in the worker. A name without a loader is not built in. */
const LOADERS: Readonly<Partial<Record<FormatName, () => Promise<{ readonly format: Format }>>>> = {
  text: () => import('./text.js'),
  pdf: () => import('./pdf.js'),
  image: () => import('./image.js'),
  audio: () => import('./audio.js'),
  video: () => import('./video.js'),
};

/** Types that need a different module than their mode. */
const BY_MEDIATYPE: Readonly<Record<string, FormatName>> = {
  'application/pdf': 'pdf',
};

const BY_MODE: Readonly<Record<Mode, FormatName>> = {
  text: 'text',
  image: 'image',
  audio: 'audio',
  video: 'video',
};

/** Recognised types without a decoder. They are treated as unsupported. */
const UNREADABLE: ReadonlySet<string> = new Set(['application/postscript']);

/** Image types with a decoder. */
const IMAGES: ReadonlySet<string> = new Set([
  'image/bmp',
  'image/gif',
  'image/jp2',
  'image/jpeg',
  'image/jpx',
  'image/png',
  'image/svg+xml',
  'image/tiff',
  'image/vnd.adobe.photoshop',
  'image/webp',
  ...(canDecodeBySharp() ? ['image/avif'] : []),
  ...(canDecodeHeif() ? ['image/heic'] : []),
]);

/** The format module of a type; `undefined` if the type is unsupported. */
export function formatNameOf(mode: Mode, mediatype: string): FormatName | undefined {
  if (UNREADABLE.has(mediatype) || (mode === 'image' && !IMAGES.has(mediatype))) return undefined;
  const name = BY_MEDIATYPE[mediatype] ?? BY_MODE[mode];
  return name in LOADERS ? name : undefined;
}

/** The module that reads and writes the metadata of a type: also of types whose content is not read. */
export function metadataFormatOf(mode: Mode | undefined, mediatype: string): FormatName | undefined {
  return familyOf(mediatype)?.format ?? (mode && formatNameOf(mode, mediatype));
}

export async function loadFormat(name: FormatName): Promise<Format> {
  const load = LOADERS[name];
  if (load === undefined) throw new Error(`the format ${name} is not built in`);
  return (await load()).format;
}
