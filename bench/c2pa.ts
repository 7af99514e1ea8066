/**
 * Validation of sidecars, and queries of the binding index. The peer for validation is c2pa-python (PyPI), a binding of
 * the same validator, with the same sidecars and trust anchors, after the verdicts of both were compared.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { anchorLists } from '../src/c2pa/trust-lists.js';
import { type ManifestBindings, native } from '../src/native.js';
import { QUICK, quickOr } from './support/options.js';

const PEER = 'c2pa-python==0.38.1';
const SECONDS_PER_CASE = quickOr(0.1, 1);
const ROUNDS = quickOr(1, 4);
const UNITS = quickOr(8000, 1_000_000);
const QUERIES = quickOr(20, 200);
const BATCH = 2000;

const run = promisify(execFile);
const peers = path.join(import.meta.dirname, '.peers', 'c2pa-python');
const python = path.join(peers, 'bin', 'python');
const fixtures = path.join(import.meta.dirname, '..', 'test', 'fixtures', 'c2pa');
const cores = availableParallelism();

interface Peer {
  readonly accepted: readonly string[];
  readonly one: number;
  readonly all: number;
}

/** Only accepted sidecars. Rejected ones fail early and would not measure validation. */
const { items } = JSON.parse(readFileSync(path.join(fixtures, 'manifests', 'index.json'), 'utf8')) as {
  items: { file: string; expect: { status: number } }[];
};
const files = items.filter(({ expect }) => expect.status === 200).map(({ file }) => file);
const sidecars = files.map((file) => readFileSync(path.join(fixtures, file)));
const anchors = readFileSync(path.join(fixtures, 'certs', 'trust-anchors.pem'), 'utf8');

interface Rate {
  /** Validations per second of CPU time. */
  readonly cpu: number;
  /** Validations per second of elapsed time. */
  readonly clock: number;
}

/** `threads` is 1, or the number of cores. */
async function rate(threads: number): Promise<Rate> {
  const validator = new native.ManifestValidator(anchorLists(anchors), { waitingMax: 4 * threads });
  let done = 0;
  let next = 0;
  const start = performance.now();
  const before = process.cpuUsage();
  const end = start + SECONDS_PER_CASE * 1000;
  const work = async () => {
    while (performance.now() < end) {
      const bytes = sidecars[next++ % sidecars.length] ?? Buffer.alloc(0);
      const { outcome } = await validator.validate(bytes);
      if (outcome !== 'accepted') throw new Error(`the validation of a sidecar ended with ${outcome}`);
      done += 1;
    }
  };
  // Twice as many as threads keeps all of them busy; a single validation at a time occupies one.
  await Promise.all(Array.from({ length: threads === 1 ? 1 : 2 * threads }, work));
  const { user, system } = process.cpuUsage(before);
  return { cpu: (done * 1e6) / (user + system), clock: (done * 1000) / (performance.now() - start) };
}

/** Installs the peer unless it is installed, and runs one round of it. */
async function runPeer(): Promise<Peer> {
  if (!existsSync(python)) {
    await run('python3', ['-m', 'venv', peers]);
    await run(python, ['-m', 'pip', 'install', '--quiet', PEER]);
  }
  const script = path.join(import.meta.dirname, 'support', 'c2pa_peer.py');
  const args = [script, fixtures, String(SECONDS_PER_CASE), String(cores), ...files];
  const peer = JSON.parse((await run(python, args)).stdout) as Peer;
  if (peer.accepted.length !== files.length) throw new Error('the peer rejects sidecars that isccd accepts');
  return peer;
}

async function queries(): Promise<void> {
  const index = new native.BindingIndex();
  const perManifest = [0x10, 0x21, 0x30, 0x40].map((first) => Buffer.from([first, 7]));
  const value = () => Buffer.concat(perManifest.flatMap((header) => [header, randomBytes(32)]));
  const start = performance.now();
  for (let key = 0; key < UNITS / perManifest.length; key += BATCH) {
    const entries: ManifestBindings[] = Array.from({ length: BATCH }, (_, at) => ({
      key: key + at,
      trusted: true,
      uploadedAt: key + at,
      bindings: [{ alg: 'io.iscc.v0', value: value() }],
    }));
    await index.insertBatch(entries);
  }
  console.log(`${UNITS} units loaded in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  const times: number[] = [];
  for (let query = 0; query < QUERIES; query += 1) {
    const binding = value();
    const before = performance.now();
    await index.query('io.iscc.v0', binding, 75, 10);
    times.push(performance.now() - before);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => `${times[Math.floor(share * (times.length - 1))]?.toFixed(2)} ms`;
  console.log(`query of ${perManifest.length} units: p50 ${at(0.5)}, p99 ${at(0.99)}`);
}

const best = { ours: { one: 0, all: 0 }, theirs: { one: 0, all: 0 } };
// Alternating rounds, best of each: other load on the machine then affects both.
for (let round = 0; round < ROUNDS; round += 1) {
  if (!QUICK) {
    const peer = await runPeer();
    best.theirs.one = Math.max(best.theirs.one, peer.one);
    best.theirs.all = Math.max(best.theirs.all, peer.all);
  }
  best.ours.one = Math.max(best.ours.one, (await rate(1)).cpu);
  best.ours.all = Math.max(best.ours.all, (await rate(cores)).clock);
}

console.log(`${'validations'.padEnd(24)}${PEER.padStart(20)}${'isccd'.padStart(14)}${'ratio'.padStart(9)}`);
const line = (name: string, theirs: number, ours: number) =>
  console.log(
    `${name.padEnd(24)}${`${theirs.toFixed(0)}/s`.padStart(20)}${`${ours.toFixed(0)}/s`.padStart(14)}${`${(ours / theirs).toFixed(2)}x`.padStart(9)}`,
  );
line('per core (CPU time)', best.theirs.one, best.ours.one);
line(`${cores} concurrent`, best.theirs.all, best.ours.all);
await queries();
