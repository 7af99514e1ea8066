import { randomBytes } from 'node:crypto';
import { native } from '../../../src/native.js';

/** A small signed Manifest Store that no store has yet, with a soft binding to codes of its own. */
export async function freshManifest(): Promise<Buffer> {
  const { chainPem, keyPem } = await native.makeTestCertificate('es256', 'isccd test');
  const value = native.encodeSeq([3, 4].map((main) => native.encodeUnit(main, 0, 0, 256, randomBytes(32))));
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
