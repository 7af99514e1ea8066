/** Test assets with a binding to declare. */
import type { Asset } from './simulation.js';

/** An ISCC-SEQ of a Data- and an Instance-Code of 256 bits. */
function sequence(fill: number): Buffer {
  const unit = (header: string) => Buffer.concat([Buffer.from(header, 'hex'), Buffer.alloc(32, fill)]);
  return Buffer.concat([unit('3007'), unit('4007')]);
}

/** Two manifests of one asset, and one of another. */
export const A: Asset = { name: 'a', binding: sequence(1) };
export const B: Asset = { name: 'b', binding: sequence(1) };
export const C: Asset = { name: 'c', binding: sequence(2) };
