/** Manifest Stores with other CBOR in them, for tests of hostile input. */

/** A box: its length, its type, its contents. */
function box(type: string, contents: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + contents.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, contents]);
}

/**
 * The boxes in `bytes`, with `cbor` instead of the first CBOR of each superbox of a type: `c2cl` (claim), `c2cs`
 * (signature) or `cbor` (assertion). Box lengths are right.
 */
export function withCbor(bytes: Buffer, superbox: string, cbor: Uint8Array): Buffer {
  const rebuilt: Buffer[] = [];
  let isNext = false;
  for (let at = 0; at < bytes.length; ) {
    const end = at + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const contents = bytes.subarray(at + 8, end);
    if (type === 'jumb') rebuilt.push(box(type, withCbor(contents, superbox, cbor)));
    else if (type === 'cbor' && isNext) {
      rebuilt.push(box(type, cbor));
      isNext = false;
    } else rebuilt.push(bytes.subarray(at, end));
    isNext ||= type === 'jumd' && contents.toString('latin1', 0, 4) === superbox;
    at = end;
  }
  return Buffer.concat(rebuilt);
}

/** A number in `depth` tags or arrays, each opened by one byte. */
export function nestedCbor(head: 'tag' | 'array', depth: number): Buffer {
  return Buffer.concat([Buffer.alloc(depth, head === 'tag' ? 0xc1 : 0x81), Buffer.alloc(1)]);
}
