import { randomBytes } from 'node:crypto';
import { native } from '../../../src/native.js';

/** The value of a soft binding to random codes. */
export function freshBinding(): Buffer {
  return native.encodeSeq([3, 4].map((main) => native.encodeUnit(main, 0, 0, 256, randomBytes(32))));
}

/** A small signed Manifest Store that no store has yet, with a soft binding. */
export async function freshManifest(value = freshBinding()): Promise<Buffer> {
  const { chainPem, keyPem } = await native.makeTestCertificate('es256', 'isccd test');
  return native.signManifest({
    chainPem,
    keyPem,
    algorithm: 'es256',
    title: 'a',
    format: 'image/jpeg',
    assetHash: randomBytes(32),
    bindings: [{ alg: 'io.iscc.v0', value }],
  });
}
