/** The ISCC-SUM of bytes that arrive in pieces. */
import type { Engine, Exports } from './engine.js';
import { WasmError } from './failure.js';

/** `PIECE_BYTES` of `crates/wasm`. */
const PIECE_BYTES = 1 << 20;

export interface SumOptions {
  /** Bits of each unit: a multiple of 32 from 64 to 256. Default: 64. */
  readonly bits?: number;
  /** Whether the ISCC-CODE has 128 bits each of Data- and Instance-Code, which needs units of 128. Default: false. */
  readonly wide?: boolean;
}

export interface SumCode {
  /** The ISCC-CODE of both units. */
  readonly iscc: string;
  readonly units: readonly [data: string, instance: string];
  /** Multihash of the bytes: `1e20` and the BLAKE3 digest in hexadecimal. */
  readonly datahash: string;
  readonly filesize: number;
}

/** Data- and Instance-Code in one pass and constant memory. End it with {@link finish} or {@link drop}. */
export class SumHasher {
  readonly #engine: Engine;
  readonly #exports: Exports;
  #hasher: number | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    [this.#exports, this.#hasher] = engine.guarded((exports) => [exports, exports.hasher_new()]);
  }

  /** Adds the next piece. */
  update(piece: Uint8Array): void {
    const hasher = this.#current();
    this.#engine.guarded(({ memory, hasher_piece, hasher_update }) => {
      for (let at = 0; at < piece.length; at += PIECE_BYTES) {
        const part = piece.subarray(at, at + PIECE_BYTES);
        new Uint8Array(memory.buffer).set(part, hasher_piece(hasher) >>> 0);
        hasher_update(hasher, part.length);
      }
    });
  }

  /** The codes of all pieces. A hasher ends once. */
  finish({ bits = 64, wide = false }: SumOptions = {}): SumCode {
    const hasher = this.#current();
    this.#hasher = undefined;
    return this.#engine.run(({ hasher_finish }) => hasher_finish(hasher, bits, Number(wide)));
  }

  /** Frees a hasher whose codes are not wanted. */
  drop(): void {
    const hasher = this.#hasher;
    this.#hasher = undefined;
    if (hasher !== undefined && this.#engine.has(this.#exports))
      this.#engine.guarded(({ hasher_drop }) => hasher_drop(hasher));
  }

  #current(): number {
    if (this.#hasher === undefined) throw new WasmError('INVALID_STATE', 'SumHasher: already finished');
    if (!this.#engine.has(this.#exports))
      throw new WasmError('INVALID_STATE', 'SumHasher: its instance has stopped; make a new hasher');
    return this.#hasher;
  }
}
