/**
 * Validation of sidecars, and queries of the binding index. The peer for validation is c2pa-python (PyPI), a binding of
 * the same validator, with the same sidecars and trust anchors, after the verdicts of both were compared.
 *
 * Services validate in processes of their own. What that costs is the processor time of all processes per validation, compared
 * with that of the addon in this process, with one upload at a time and with many.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ManifestReader } from '../src/c2pa/manifest-reader.js';
import { anchorLists } from '../src/c2pa/trust-lists.js';
import { type ManifestBindings, native } from '../src/native.js';
import { QUICK, quickOr } from './support/options.js';

const PEER = 'c2pa-python==0.38.1';
const SECONDS_PER_CASE = quickOr(0.1, 1);
const ROUNDS = quickOr(1, 4);
const UNITS = quickOr(8000, 1_000_000);
const QUERIES = quickOr(20, 200);
const BATCH = 2000;
/** Uploads at once that keep all readers busy. A service lets 64 wait. */
const MANY = 32;

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
  /** Validations per second of CPU time, of all processes. */
  readonly cpu: number;
  /** Validations per second of elapsed time. */
  readonly clock: number;
}

interface OneValidator {
  validate(bytes: Uint8Array): Promise<{ readonly outcome: string }>;
}

/** Microseconds of processor time that this process and the readers of manifests have used. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system + readers().reduce((sum, pid) => sum + processorTimeOf(pid), 0);
}

/** Process ids of the readers, on Linux. */
function readers(): number[] {
  if (process.platform !== 'linux') return [];
  const threads = readdirSync('/proc/self/task');
  return threads.flatMap((id) =>
    readFileSync(`/proc/self/task/${id}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

/** All threads of a process. */
function processorTimeOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map(
    (id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0],
  );
  return nanoseconds.reduce((sum, text) => sum + Number(text), 0) / 1000;
}

async function rate(validator: OneValidator, concurrent: number): Promise<Rate> {
  let done = 0;
  let next = 0;
  const start = performance.now();
  const before = processorTime();
  const end = start + SECONDS_PER_CASE * 1000;
  const work = async () => {
    while (performance.now() < end) {
      const bytes = sidecars[next++ % sidecars.length] ?? Buffer.alloc(0);
      const { outcome } = await validator.validate(bytes);
      if (outcome !== 'accepted') throw new Error(`the validation of a sidecar ended with ${outcome}`);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrent }, work));
  const used = processorTime() - before;
  return { cpu: (done * 1e6) / used, clock: (done * 1000) / (performance.now() - start) };
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

/** What validation in other processes costs, in rounds that alternate. */
async function workers(): Promise<void> {
  const reader = new ManifestReader(undefined).validator(anchorLists(anchors));
  // The readers start, get the trust list and compile their scripts.
  for (let round = 0; round < ROUNDS; round += 1) await rate(reader, MANY);
  console.log('\nin processes of their own, per core (CPU time of all)');
  for (const [name, concurrent] of [
    ['one at a time', 1],
    [`${MANY} concurrent`, MANY],
  ] as const) {
    let [here, there] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      here = Math.max(here, (await rate(addon, concurrent)).cpu);
      there = Math.max(there, (await rate(reader, concurrent)).cpu);
    }
    line(name, 'in this process', here, there);
  }
}

const addon = new native.ManifestValidator(anchorLists(anchors), { waitingMax: MANY });
const best = { ours: { one: 0, all: 0 }, theirs: { one: 0, all: 0 } };
// Alternating rounds, best of each: other load on the machine then affects both.
for (let round = 0; round < ROUNDS; round += 1) {
  if (!QUICK) {
    const peer = await runPeer();
    best.theirs.one = Math.max(best.theirs.one, peer.one);
    best.theirs.all = Math.max(best.theirs.all, peer.all);
  }
  best.ours.one = Math.max(best.ours.one, (await rate(addon, 1)).cpu);
  // Twice as many as threads keeps all of them busy; a single validation at a time occupies one.
  best.ours.all = Math.max(best.ours.all, (await rate(addon, 2 * cores)).clock);
}

const line = (name: string, what: string, theirs: number, ours: number) =>
  console.log(
    `${name.padEnd(24)}${what.padStart(20)}${`${theirs.toFixed(0)}/s`.padStart(10)}${'isccd'.padStart(8)}${`${ours.toFixed(0)}/s`.padStart(10)}${`${(ours / theirs).toFixed(2)}x`.padStart(9)}`,
  );
console.log('validations');
line('per core (CPU time)', PEER, best.theirs.one, best.ours.one);
line(`${cores} concurrent`, PEER, best.theirs.all, best.ours.all);
await workers();
console.log();
await queries();
