/** The ISCC-SUM of bytes that arrive in pieces and never are a file, for programs that embed this package. */
import { type Bytes, checkOptions } from '../client/arguments.js';
import { composeCode, decodeCode, encodeUnit } from '../iscc/codec.js';
import { type FileSum, native } from '../native.js';
import { bytesOf, checkBits } from './arguments.js';

export interface SumOptions {
  /** Bits of each unit in `units`: a multiple of 32 from 64 to 256. Default: 64. */
  readonly bits?: number;
  /** Whether the ISCC-CODE has 128 bits each of Data- and Instance-Code, as those of iscc-sum. Default: false. */
  readonly wide?: boolean;
}

export interface SumCode {
  /** The ISCC-CODE of both units. */
  readonly iscc: string;
  /** Data- and Instance-Code. */
  readonly units: readonly [data: string, instance: string];
  /** Multihash of the bytes: `1e20` and the BLAKE3 digest in hexadecimal. */
  readonly datahash: string;
  /** Number of bytes. */
  readonly filesize: number;
}

const BITS_DEFAULT = 64;
const BITS_MIN = 64;

/**
 * Computes Data- and Instance-Code in one pass and constant memory. Pieces are hashed in their order on the threads of the
 * addon, also if the caller does not wait. A piece must not change until its promise is settled; to wait for it also keeps
 * the pieces of a fast source from filling the memory.
 */
export class SumHasher {
  readonly #hasher = new native.SumHasher();
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Adds the next piece. The promise rejects with `INVALID_ARGUMENT` if it is not bytes, and with `INVALID_STATE` after
   * {@link finish}; so does that of `finish` if a piece was rejected.
   */
  update(piece: Bytes): Promise<void> {
    return this.#next(async () => this.#hasher.update(await bytesOf(piece)));
  }

  /** The codes of all pieces. A hasher ends once; a second call rejects with `INVALID_STATE`. */
  async finish(options: SumOptions = {}): Promise<SumCode> {
    checkOptions(options, { wide: 'boolean' });
    const { bits = BITS_DEFAULT, wide = false } = options;
    checkBits(bits, BITS_MIN);
    return this.#next(async () => sumCode(await this.#hasher.finish(), bits, wide));
  }

  #next<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#last.then(step);
    this.#last = result;
    // A caller may wait for the last promise only, which then has the error of this one.
    result.catch(() => {});
    return result;
  }
}

function sumCode({ units, datahash, filesize }: FileSum, bits: number, wide: boolean): SumCode {
  const [data, instance] = units.map((unit) => {
    const { main, sub, version, body } = decodeCode(unit);
    return encodeUnit(main, sub, version, bits, body);
  });
  return { iscc: composeCode(units, wide), units: [data ?? '', instance ?? ''], datahash, filesize };
}
