/** Copies a FLAC file (RFC 9639) with other Vorbis comments. All other blocks and the frames keep their bytes. */
import { type FileHandle, open } from 'node:fs/promises';
import { ContainerUnfit, type FileRange, readBytes, writeCopy } from './container.js';
import { type CommentChange, changedComments, noComments } from './vorbis-comments.js';

interface Block {
  readonly type: number;
  /** Where the content starts in the file. */
  readonly start: number;
  readonly bytes: number;
}

const HEADER_BYTES = 4;
const LAST = 0x80;
const PADDING = 1;
const COMMENTS = 4;
const BLOCK_MAX_BYTES = 0xff_ffff;
/** Usual files have fewer than ten. */
const BLOCKS_MAX = 10_000;
/** Of all blocks of comments, which are in memory together. Usual files have one. */
const COMMENTS_MAX_BYTES = 2 * BLOCK_MAX_BYTES;

/** A block of the copy: new content, or a block of the file. */
type Part = { readonly type: number; readonly content: Buffer } | Block;

/**
 * Writes a copy of `path` to `target`. Padding grows or shrinks so that the frames stay in place, if there is enough.
 *
 * @param start where the signature `fLaC` is; tags of another kind may be before it
 * @throws {ContainerUnfit} if the structure of the file is not supported
 */
export async function copyWithFlacComments(
  path: string,
  target: string,
  change: CommentChange,
  start = 0,
): Promise<void> {
  const handle = await open(path);
  let blocks: readonly Block[];
  let parts: readonly Part[];
  try {
    blocks = await readBlocks(handle, start + HEADER_BYTES);
    parts = padded(blocks, await changedParts(handle, blocks, change));
  } finally {
    await handle.close();
  }
  await writeCopy(path, target, [
    { from: 0, to: start + HEADER_BYTES },
    ...parts.flatMap((part, index) => [headerOf(part, index === parts.length - 1), contentOf(part)]),
    { from: endOf(blocks) },
  ]);
}

async function readBlocks(handle: FileHandle, from: number): Promise<readonly Block[]> {
  const { size } = await handle.stat();
  const blocks: Block[] = [];
  for (let at = from; ; ) {
    const header = await readBytes(handle, at, HEADER_BYTES);
    const block = {
      type: (header[0] ?? 0) & ~LAST,
      start: at + HEADER_BYTES,
      bytes: header.readUIntBE(1, 3),
    };
    blocks.push(block);
    at = block.start + block.bytes;
    if (at > size || blocks.length > BLOCKS_MAX) throw new ContainerUnfit('the blocks are damaged');
    if ((header[0] ?? 0) & LAST) return blocks;
  }
}

/** The blocks with other comments. More than one block of comments is not allowed, so others only follow the first. */
async function changedParts(
  handle: FileHandle,
  blocks: readonly Block[],
  change: CommentChange,
): Promise<Part[]> {
  const first = blocks.findIndex(({ type }) => type === COMMENTS);
  const bytes = blocks.reduce((sum, block) => sum + (block.type === COMMENTS ? block.bytes : 0), 0);
  if (bytes > COMMENTS_MAX_BYTES) throw new ContainerUnfit('the comments are too large');
  const parts: Part[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.type !== COMMENTS) {
      parts.push(block);
      continue;
    }
    const content = await readBytes(handle, block.start, block.bytes);
    parts.push(commentPart(content, index === first ? change : onlyReplaced(change)));
  }
  // The first block describes the stream.
  if (first < 0) parts.splice(1, 0, commentPart(noComments(), change));
  return parts;
}

function onlyReplaced({ written, replaced = new Map(), removed = new Set() }: CommentChange): CommentChange {
  return { written: new Map(), replaced: new Map([...replaced, ...written]), removed };
}

function commentPart(old: Buffer, change: CommentChange): Part {
  const content = changedComments(old, change);
  if (content.length > BLOCK_MAX_BYTES) throw new ContainerUnfit('the comments are too large');
  return { type: COMMENTS, content };
}

/** The parts with a first padding of such a size that the frames stay in place, if that is possible. */
function padded(blocks: readonly Block[], parts: readonly Part[]): readonly Part[] {
  const growth = sizeOf(parts) - sizeOf(blocks);
  const index = parts.findIndex(({ type }) => type === PADDING);
  const padding = parts[index];
  if (growth === 0 || padding === undefined) return parts;
  const bytes = bytesOf(padding) - growth;
  if (bytes < 0 || bytes > BLOCK_MAX_BYTES) return parts;
  return parts.with(index, { type: PADDING, content: Buffer.alloc(bytes) });
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + HEADER_BYTES + bytesOf(part), 0);
}

function bytesOf(part: Part): number {
  return 'content' in part ? part.content.length : part.bytes;
}

function contentOf(part: Part): Buffer | FileRange {
  return 'content' in part ? part.content : { from: part.start, to: part.start + part.bytes };
}

function endOf(blocks: readonly Block[]): number {
  const last = blocks.at(-1);
  return last === undefined ? 0 : last.start + last.bytes;
}

function headerOf(part: Part, isLast: boolean): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = part.type | (isLast ? LAST : 0);
  header.writeUIntBE(bytesOf(part), 1, 3);
  return header;
}
