/** Size, seed and report of a part of the torture programme (`npm run torture`). */
import { appendFileSync } from 'node:fs';
import { PARTS } from '../../scripts/torture-parts.mjs';

export interface Torture {
  /** How much to try, in the part's unit. */
  readonly size: number;
  readonly seed: number;
  /** Number of the only case to run, to replay a failure. */
  readonly only: number | undefined;
  /** Of `--minutes`; infinite without it. */
  readonly minutes: number;
  /**
   * Numbers of the cases: from 0 until the size is reached or `--minutes` are over, or `--only` that one. Several loops
   * may share one list. `share` is the part of the time that these cases may use.
   */
  cases(share?: number): Generator<number>;
  /** Prints what was tried into the programme's table. `worst` is the worst figure with its unit. */
  report(row: { readonly tried: number; readonly survived: number; readonly worst: string }): void;
}

/** The settings of this run: the short form unless `npm run torture` asks for another. */
export function torture(name: string): Torture {
  const part = PARTS.find((one) => one.name === name);
  if (part === undefined) throw new Error(`no part of the torture programme is named ${name}`);
  const { ISCCD_TORTURE_SIZE, ISCCD_TORTURE_SEED, ISCCD_TORTURE_ONLY, ISCCD_TORTURE_REPORT } = process.env;
  const { ISCCD_TORTURE_MINUTES = 'Infinity' } = process.env;
  const size = Number(ISCCD_TORTURE_SIZE ?? part.short);
  const only = ISCCD_TORTURE_ONLY === undefined ? undefined : Number(ISCCD_TORTURE_ONLY);
  const minutes = Number(ISCCD_TORTURE_MINUTES);
  return {
    size,
    seed: Number(ISCCD_TORTURE_SEED ?? 1),
    only,
    minutes,
    *cases(share = 1) {
      if (only !== undefined) return yield only;
      const end = performance.now() + minutes * 60_000 * share;
      for (let number = 0; number < size && performance.now() < end; number += 1) yield number;
    },
    report: (row) => {
      if (ISCCD_TORTURE_REPORT !== undefined)
        appendFileSync(ISCCD_TORTURE_REPORT, `${JSON.stringify(row)}\n`);
    },
  };
}

/** A source of random choices that is the same for the same seeds (mulberry32). */
export class Random {
  #state: number;

  constructor(...seeds: readonly number[]) {
    this.#state = seeds.reduce(
      (state, seed) => Math.imul(state ^ seed, 0x9e37_79b1) ^ (seed >>> 7),
      0x2545_f491,
    );
    for (let round = 0; round < 4; round += 1) this.word();
  }

  /** 32 bits. */
  word(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return (value ^ (value >>> 14)) >>> 0;
  }

  /** An integer from 0 to `below` - 1. */
  below(below: number): number {
    return this.word() % Math.max(1, below);
  }

  chance(share: number): boolean {
    return this.word() < share * 2 ** 32;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.word() & 0xff);
  }
}
