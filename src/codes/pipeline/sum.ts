/** Data- and Instance-Code of a file, made in one pass over its bytes. */
import { native } from '../../native.js';

/** What every file has, whatever it is. */
export interface FileSum {
  /** Data- and Instance-Code of 256 bits, with prefix. */
  readonly units: readonly [data: string, instance: string];
  readonly datahash: string;
  readonly bytes: number;
}

export interface SumHasher {
  /** Takes the next bytes; the block must not change until the promise resolves. */
  update(block: Uint8Array): Promise<void>;
  finish(): Promise<FileSum>;
}

export function sumHasher(): SumHasher {
  return new NativeSumHasher();
}

class NativeSumHasher implements SumHasher {
  readonly #hasher = new native.SumHasher();

  update(block: Uint8Array): Promise<void> {
    return this.#hasher.update(block);
  }

  async finish(): Promise<FileSum> {
    const { units, datahash, filesize } = await this.#hasher.finish();
    return { units: units as [string, string], datahash, bytes: filesize };
  }
}
