/**
 * Damaged manifest stores through the addon: each gets a verdict, and no validation fails.
 *
 * `ISCCD_MUTATIONS=100000 npx vitest run test/native/c2pa-mutated.test.ts` is the full run. It prints the duration of
 * the slowest validation, one at a time.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { anchorLists } from '../../src/c2pa/trust-lists.js';
import { type ManifestReport, native } from '../../src/native.js';

const MUTATIONS = Number(process.env.ISCCD_MUTATIONS ?? 2000);
const SLOW_MS = 20;
const ATTEMPTS_MAX = 4;
const TIMEOUT_MS = 60_000 + MUTATIONS * 20;

const fixtures = new URL('../fixtures/c2pa/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, fixtures));
const { items } = JSON.parse(read('manifests/index.json').toString()) as { items: { file: string }[] };
const sidecars = items.map(({ file }) => read(file)).filter(({ length }) => length > 0);
const validator = new native.ManifestValidator(anchorLists(read('certs/trust-anchors.pem').toString()));

/** xorshift32 with a fixed seed. */
let state = 0x9e3779b9;
function below(limit: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % limit;
}

const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;

/** Bytes changed; pieces removed, repeated or copied from another store. Most have the right outer length. */
function damaged(original: Buffer): Buffer {
  let bytes = Buffer.from(original);
  for (let left = 1 + below(4); left > 0; left -= 1) {
    const at = below(bytes.length);
    const end = at + 1 + below(64);
    const kind = below(16);
    if (kind === 0) bytes = bytes.subarray(0, at + 1);
    else if (kind === 1 && bytes.length > 80)
      bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    else if (kind === 3) {
      const other = pick(sidecars);
      const from = below(other.length);
      const piece = other.subarray(from, from + 1 + below(256));
      bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
    } else bytes[at] = kind < 8 ? (bytes[at] ?? 0) ^ (1 << below(8)) : below(256);
  }
  if (bytes.length >= 8 && below(4) > 0) bytes.writeUInt32BE(bytes.length);
  return bytes;
}

/** The verdict and its duration. Slow validations are repeated, because other processes may have delayed them. */
async function decided(bytes: Buffer): Promise<{ report: ManifestReport; ms: number }> {
  let ms = Number.POSITIVE_INFINITY;
  for (let attempt = 0; ; attempt += 1) {
    const start = performance.now();
    const report = await validator.validate(bytes);
    ms = Math.min(ms, performance.now() - start);
    if (ms < SLOW_MS || attempt === ATTEMPTS_MAX) return { report, ms };
  }
}

it(
  `returns a verdict on ${MUTATIONS} damaged manifest stores`,
  async () => {
    const codes = new Map<string, number>();
    let slowest = 0;
    for (let number = 0; number < MUTATIONS; number += 1) {
      const bytes = damaged(sidecars[number % sidecars.length] as Buffer);
      const { report, ms } = await decided(bytes);
      slowest = Math.max(slowest, ms);
      const code = report.outcome === 'refused' ? report.code : report.outcome;
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (report.outcome === 'refused') {
        expect(report.code).toMatch(/^[a-zA-Z]+(\.[a-zA-Z]+)+$/);
        // The text for a panic in Rust.
        expect(report.text).not.toBe('the validation failed');
      }
    }
    console.log(`slowest of ${MUTATIONS}: ${slowest.toFixed(1)} ms`, Object.fromEntries(codes));
    expect(codes.size).toBeGreaterThan(5);
  },
  TIMEOUT_MS,
);
