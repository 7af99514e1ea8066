/** Data- and Instance-Code of a file, made in one pass over its bytes. */
import { type FileSum as NativeFileSum, native } from '../../native.js';
import { HEAD_BYTES } from '../uploads.js';

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

export interface HeadAndSum {
  /** The first bytes of a file, which tell its media type. */
  readonly head: Uint8Array;
  readonly sum: FileSum;
}

/** Of a file that is one read, without the way through a stream; `undefined` for a larger one. */
export async function headAndSumOf(path: string, bytesMax: number): Promise<HeadAndSum | undefined> {
  const found = await native.headAndSumOfFile(path, HEAD_BYTES, bytesMax);
  return found === null ? undefined : { head: found.head, sum: fileSum(found.sum) };
}

class NativeSumHasher implements SumHasher {
  readonly #hasher = new native.SumHasher();

  update(block: Uint8Array): Promise<void> {
    return this.#hasher.update(block);
  }

  async finish(): Promise<FileSum> {
    return fileSum(await this.#hasher.finish());
  }
}

function fileSum({ units, datahash, filesize }: NativeFileSum): FileSum {
  return { units: units as [string, string], datahash, bytes: filesize };
}
