/** Comment headers of the codecs in Ogg files: Vorbis comments behind a prefix of each codec. */
import { ContainerUnfit } from './container.js';
import { type CommentChange, changedComments } from './vorbis-comments.js';

export interface StreamKind {
  /** The first bytes of the stream. */
  readonly start: string;
  /** The bytes before the comments. FLAC has a block header with a length there. */
  readonly prefix: string | 'block';
}

const KINDS: readonly StreamKind[] = [
  { start: '\x80theora', prefix: '\x81theora' },
  { start: '\x01vorbis', prefix: '\x03vorbis' },
  { start: 'OpusHead', prefix: 'OpusTags' },
  { start: 'OVP80\x01', prefix: 'OVP80\x02 ' },
  { start: 'Speex   ', prefix: '' },
  { start: '\x7fFLAC', prefix: 'block' },
];

const SKELETON = 'fishead\0';
/** The first version with an index of byte positions. */
const SKELETON_INDEXED = 4;
const BLOCK_HEADER_BYTES = 4;
const BLOCK_COMMENTS = 4;
const BLOCK_MAX_BYTES = 0xff_ffff;

/** The kind of a stream from its first packet; `undefined` for streams without comments. */
export function commentKind(packet: Buffer): StreamKind | undefined {
  const isSkeleton = packet.toString('latin1', 0, SKELETON.length) === SKELETON;
  if (isSkeleton && packet.length >= 10 && packet.readUInt16LE(SKELETON.length) >= SKELETON_INDEXED)
    throw new ContainerUnfit('the file has an index of positions');
  return KINDS.find(({ start }) => packet.toString('latin1', 0, start.length) === start);
}

/** A comment header with changed comments. */
export function withComments({ prefix }: StreamKind, packet: Buffer, change: CommentChange): Buffer {
  const prefixBytes = prefix === 'block' ? BLOCK_HEADER_BYTES : prefix.length;
  const head = Buffer.from(packet.subarray(0, prefixBytes));
  const isComments =
    prefix === 'block' ? ((head[0] ?? 0) & 0x7f) === BLOCK_COMMENTS : head.toString('latin1') === prefix;
  if (!isComments) throw new ContainerUnfit('the second header has no comments');
  const content = changedComments(packet.subarray(prefixBytes), change);
  if (prefix === 'block') {
    if (content.length > BLOCK_MAX_BYTES) throw new ContainerUnfit('the comments are too large');
    head.writeUIntBE(content.length, 1, 3);
  }
  return Buffer.concat([head, content]);
}
