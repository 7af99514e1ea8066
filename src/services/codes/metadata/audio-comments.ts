/** Writes Vorbis comments into audio files: Ogg (Vorbis, Opus, Speex, FLAC) and FLAC. */
import { open } from 'node:fs/promises';
import { copyWithFlacComments } from './flac.js';
import { copyWithOggComments } from './ogg.js';
import { replacedByCopy } from './replaced-by-copy.js';
import type { CommentChange } from './vorbis-comments.js';

export type CommentContainer = 'ogg' | 'flac';

const ID3_HEADER_BYTES = 10;
const ID3_FOOTER = 0x10;
/** Tags in a row; more than two are rare. */
const ID3_TAGS_MAX = 100;

/** Where the sound starts: the tags before it are of another kind. */
interface Start {
  readonly at: number;
  readonly container: CommentContainer | undefined;
}

/** The container of the file if it holds Vorbis comments; `undefined` for others. */
export async function commentContainer(path: string): Promise<CommentContainer | undefined> {
  return (await startOf(path)).container;
}

/**
 * Changes comments of a file that {@link commentContainer} knows, in a copy that replaces it.
 *
 * @throws {ContainerUnfit} if the structure of the file is not supported
 */
export async function embedComments(path: string, change: CommentChange): Promise<void> {
  const { at, container } = await startOf(path);
  await replacedByCopy(path, (target) =>
    container === 'ogg'
      ? copyWithOggComments(path, target, change)
      : copyWithFlacComments(path, target, change, at),
  );
}

async function startOf(path: string): Promise<Start> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    let at = 0;
    for (let tags = 0; tags < ID3_TAGS_MAX && size - at >= ID3_HEADER_BYTES; tags += 1) {
      const { buffer } = await handle.read(Buffer.alloc(ID3_HEADER_BYTES), 0, ID3_HEADER_BYTES, at);
      const magic = buffer.toString('latin1', 0, 4);
      if (magic === 'OggS') return { at, container: 'ogg' };
      if (magic === 'fLaC') return { at, container: 'flac' };
      if (!magic.startsWith('ID3')) break;
      at += id3Bytes(buffer);
    }
    return { at: 0, container: undefined };
  } finally {
    await handle.close();
  }
}

/** The size of a tag with this header: four bytes of seven bits each, and the header and the footer. */
function id3Bytes(header: Buffer): number {
  const size = header.subarray(6).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return size + ID3_HEADER_BYTES * ((header[5] ?? 0) & ID3_FOOTER ? 2 : 1);
}
