/** Comment headers of the codecs in Ogg files: Vorbis comments behind a prefix of each codec. */

/** The structure of the file is not supported. */
export class OggUnfit extends Error {
  override readonly name = 'OggUnfit';
}

export interface OggChange {
  /** Names and values of new comments. */
  readonly written: ReadonlyMap<string, string>;
  /** Lower-case names of comments to remove. */
  readonly removed: ReadonlySet<string>;
}

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
const LENGTH_BYTES = 4;

/** The kind of a stream from its first packet; `undefined` for streams without comments. */
export function commentKind(packet: Buffer): StreamKind | undefined {
  const isSkeleton = packet.toString('latin1', 0, SKELETON.length) === SKELETON;
  if (isSkeleton && packet.length >= 10 && packet.readUInt16LE(SKELETON.length) >= SKELETON_INDEXED)
    throw new OggUnfit('the file has an index of positions');
  return KINDS.find(({ start }) => packet.toString('latin1', 0, start.length) === start);
}

/** A comment header with changed comments. */
export function withComments({ prefix }: StreamKind, packet: Buffer, change: OggChange): Buffer {
  const prefixBytes = prefix === 'block' ? BLOCK_HEADER_BYTES : prefix.length;
  const head = Buffer.from(packet.subarray(0, prefixBytes));
  const isComments =
    prefix === 'block' ? ((head[0] ?? 0) & 0x7f) === BLOCK_COMMENTS : head.toString('latin1') === prefix;
  if (!isComments) throw new OggUnfit('the second header has no comments');
  const content = changed(packet.subarray(prefixBytes), change);
  if (prefix === 'block') {
    if (content.length > BLOCK_MAX_BYTES) throw new OggUnfit('the comments are too large');
    head.writeUIntBE(content.length, 1, 3);
  }
  return Buffer.concat([head, content]);
}

function changed(content: Buffer, { written, removed }: OggChange): Buffer {
  const vendor = field(content, 0);
  const countAt = LENGTH_BYTES + vendor.length;
  if (countAt + LENGTH_BYTES > content.length) throw new OggUnfit('the comments are damaged');
  let at = countAt + LENGTH_BYTES;
  const kept: Buffer[] = [];
  for (let left = content.readUInt32LE(countAt); left > 0; left -= 1) {
    const comment = field(content, at);
    at += LENGTH_BYTES + comment.length;
    const [name = ''] = comment.toString().split('=', 1);
    if (!isRemoved(name.toLowerCase(), removed)) kept.push(comment);
  }
  const all = [...kept, ...[...written].map(([name, value]) => Buffer.from(`${name}=${value}`))];
  const count = Buffer.alloc(LENGTH_BYTES);
  count.writeUInt32LE(all.length);
  // A bit of Vorbis, or padding, may follow.
  return Buffer.concat([...withLength(vendor), count, ...all.flatMap(withLength), content.subarray(at)]);
}

/** Vorbis comments have another name for the artist of an album. */
function isRemoved(name: string, removed: ReadonlySet<string>): boolean {
  return removed.has(name === 'albumartist' ? 'album_artist' : name);
}

function field(content: Buffer, at: number): Buffer {
  const start = at + LENGTH_BYTES;
  const end = start <= content.length ? start + content.readUInt32LE(at) : Number.POSITIVE_INFINITY;
  if (end > content.length) throw new OggUnfit('the comments are damaged');
  return content.subarray(start, end);
}

function withLength(bytes: Buffer): readonly [Buffer, Buffer] {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes.length);
  return [length, bytes];
}
