/** What one client may upload in a period, and what uploads leave free on the disk. */
import { statfs } from 'node:fs/promises';
import type { Throttle } from '../../../platform/limits/throttle.js';
import { CodesRefusal, RateExceeded } from '../errors.js';

export interface QuotaOptions {
  readonly throttle: Throttle;
  /** Where uploads are written. */
  readonly folder: string;
  /** Bytes of that disk that uploads do not take; 0: no limit. */
  readonly reserveBytes: number;
  /** What an upload of unknown length may take of the disk. */
  readonly uploadBytesMax: number;
}

export class UploadQuota {
  readonly #options: QuotaOptions;

  constructor(options: QuotaOptions) {
    this.#options = options;
  }

  /**
   * Counts a request that makes a worker or the disk busy, before its body is read.
   *
   * @throws {RateExceeded} if the client has made too many of them
   */
  async request(clientAddress: string): Promise<void> {
    const seconds = await this.#options.throttle.take('write', clientAddress);
    if (seconds > 0) throw new RateExceeded('sent too many files (CODEWEB_RATE_WRITE)', seconds);
  }

  /**
   * Counts a file before its bytes are read.
   *
   * @param bytes declared by the client; `undefined` if it does not know: {@link received} counts them
   * @throws {RateExceeded} if the client has sent too many bytes
   * @throws {CodesRefusal} `DISK_RESERVED` if the file would take space that is reserved
   */
  async file(clientAddress: string, bytes: number | undefined): Promise<void> {
    await this.request(clientAddress);
    const seconds = await this.#options.throttle.take('bytes', clientAddress, bytes ?? 0);
    if (seconds > 0) throw new RateExceeded('sent too many bytes (CODEWEB_RATE_BYTES)', seconds);
    const { folder, reserveBytes, uploadBytesMax } = this.#options;
    if (reserveBytes === 0) return;
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize - (bytes ?? uploadBytesMax) < reserveBytes) throw new CodesRefusal('DISK_RESERVED');
  }

  /** Counts the bytes of a file whose length was not known before. */
  async received(clientAddress: string, bytes: number): Promise<void> {
    await this.#options.throttle.take('bytes', clientAddress, bytes);
  }
}
