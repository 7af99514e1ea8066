/** A bounded pool of read buffers for one process. Readers that find it exhausted wait in line. */

interface Waiting {
  readonly bytesMax: number;
  readonly resolve: (buffer: Buffer) => void;
}

/**
 * Buffers have sizes that are powers of two times `unitBytes`, and are reused. All of them together never exceed
 * `bytesMax`. Once a quarter of that is in use, each reader gets `unitBytes` only, so that many can go on.
 */
export class BufferPool {
  readonly #bytesMax: number;
  readonly #unitBytes: number;
  #allocatedBytes = 0;
  #usedBytes = 0;
  /** Buffers for reuse, by size. */
  readonly #unused = new Map<number, Buffer[]>();
  readonly #waiting: Waiting[] = [];

  constructor(bytesMax: number, unitBytes: number) {
    this.#bytesMax = bytesMax;
    this.#unitBytes = unitBytes;
  }

  /** Takes a buffer of about `bytesMax` bytes, smaller if a quarter of the pool is used. Waits if the pool is exhausted. */
  take(bytesMax: number): Buffer | Promise<Buffer> {
    const buffer = this.#waiting.length === 0 ? this.#allocate(bytesMax) : undefined;
    return buffer ?? new Promise((resolve) => this.#waiting.push({ bytesMax, resolve }));
  }

  /** Returns a buffer, exactly as {@link take} gave it. */
  giveBack(buffer: Buffer): void {
    const same = this.#unused.get(buffer.length) ?? [];
    same.push(buffer);
    this.#unused.set(buffer.length, same);
    this.#usedBytes -= buffer.length;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const granted = this.#allocate(next.bytesMax);
      if (granted === undefined) return;
      this.#waiting.shift();
      next.resolve(granted);
    }
  }

  #allocate(bytesMax: number): Buffer | undefined {
    let bytes = this.#unitBytes;
    const limit = this.#usedBytes * 4 < this.#bytesMax ? bytesMax : bytes;
    while (bytes * 2 <= limit) bytes *= 2;
    const buffer = this.#unused.get(bytes)?.pop() ?? this.#new(bytes) ?? this.#nearest(bytes);
    if (buffer !== undefined) this.#usedBytes += buffer.length;
    return buffer;
  }

  #new(bytes: number): Buffer | undefined {
    if (this.#allocatedBytes + bytes > this.#bytesMax) return undefined;
    this.#allocatedBytes += bytes;
    return Buffer.allocUnsafeSlow(bytes);
  }

  /** An unused buffer of another size: the largest below `bytes`, else the smallest above. */
  #nearest(bytes: number): Buffer | undefined {
    const sizes = [...this.#unused].filter(([, buffers]) => buffers.length > 0).map(([size]) => size);
    const smaller = sizes.filter((size) => size < bytes);
    const size = smaller.length > 0 ? Math.max(...smaller) : Math.min(...sizes);
    return this.#unused.get(size)?.pop();
  }
}
