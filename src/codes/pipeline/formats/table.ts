/** Which module reads which media type. Adding a format is a line here and a module beside it. */
import type { Mode } from '../../result.js';
import { canDecodeHeif } from '../tools/heif.js';
import { canDecodeBySharp } from '../tools/sharp.js';
import type { Format } from './format.js';

export type FormatName = 'text' | 'pdf' | 'image' | 'audio' | 'video';

/** Modules are loaded when their first file comes, in the worker that reads it. A name without one is not built in. */
const LOADERS: Readonly<Partial<Record<FormatName, () => Promise<{ readonly format: Format }>>>> = {
  text: () => import('./text.js'),
  pdf: () => import('./pdf.js'),
  image: () => import('./image.js'),
  audio: () => import('./audio.js'),
  video: () => import('./video.js'),
};

/** Types that the module of their mode does not read. */
const BY_MEDIATYPE: Readonly<Record<string, FormatName>> = {
  'application/pdf': 'pdf',
};

const BY_MODE: Readonly<Record<Mode, FormatName>> = {
  text: 'text',
  image: 'image',
  audio: 'audio',
  video: 'video',
};

/** Known by their media type, but there is no decoder: they are treated as unsupported. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/postscript',
]);

/** The images that there is a decoder for. */
const IMAGES: ReadonlySet<string> = new Set([
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/svg+xml',
  'image/tiff',
  'image/vnd.adobe.photoshop',
  'image/webp',
  ...(canDecodeBySharp() ? ['image/avif'] : []),
  ...(canDecodeHeif() ? ['image/heic'] : []),
]);

/** The name of the module for a type; without one the type counts as unsupported. */
export function formatNameOf(mode: Mode, mediatype: string): FormatName | undefined {
  if (UNREADABLE.has(mediatype) || (mode === 'image' && !IMAGES.has(mediatype))) return undefined;
  const name = BY_MEDIATYPE[mediatype] ?? BY_MODE[mode];
  return name in LOADERS ? name : undefined;
}

export async function loadFormat(name: FormatName): Promise<Format> {
  const load = LOADERS[name];
  if (load === undefined) throw new Error(`the format ${name} is not built in`);
  return (await load()).format;
}
