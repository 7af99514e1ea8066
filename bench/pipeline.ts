/**
 * Whole files to codes, per kind of file, next to iscc-sdk (PyPI), which takes one after the other: the same files, in
 * rounds that take turns, one at a time and as `isccd code` takes them, as many at a time as there are cores. Then
 * uploads of all kinds by several clients at a time over HTTP.
 */
import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Pipeline } from '../src/codes/pipeline/pipeline.js';
import { pythonPackage } from '../test/support/set-up.js';
import { IsccSdk, type Round } from './support/iscc-sdk.js';

const ROUNDS = 3;
const CLIENTS = 8;
const HTTP_SECONDS = 20;
const run = promisify(execFile);

const WORKER = fileURLToPath(new URL('../dist/codes/pipeline/worker.js', import.meta.url));
const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const fixtures = fileURLToPath(new URL('../test/fixtures/codes/files', import.meta.url));
const samples = path.join(await pythonPackage('iscc-samples==0.6.0'), 'iscc_samples', 'files');

/** Kinds of files: by extension, how many times the reference's speed they should have, and how often a round has each. */
const KINDS = {
  image: { extensions: /\.(jpg|png|webp|tif|gif|bmp)$/, target: 5, repeat: 2 },
  text: { extensions: /\.(txt|md|json|html|xml|csv)$/, target: 10, repeat: 10 },
  documents: { extensions: /\.(pdf|docx|xlsx|pptx|odt|epub|rtf)$/, target: 5, repeat: 3 },
  audio: { extensions: /\.(mp3|wav|flac|ogg|opus|aif|aac)$/, target: 3, repeat: 2 },
  video: { extensions: /\.(mp4|mov|mkv|webm|avi|mpg|flv|wmv)$/, target: 1.2, repeat: 1 },
} as const;

type Kind = keyof typeof KINDS;

const folders: Readonly<Record<Kind, readonly string[]>> = {
  image: [fixtures, path.join(samples, 'image')],
  text: [fixtures, path.join(samples, 'text')],
  documents: [fixtures, path.join(samples, 'text')],
  audio: [fixtures, path.join(samples, 'audio')],
  video: [fixtures, path.join(samples, 'video')],
};

/** Files that both can process: the reference fails on these, or takes them for something else. */
const LEFT_OUT = /^(corrupt|truncated|blank|short1s|text-named|wav-named|latin1|mixed)_|short\.wav$/;

const filesOf = (kind: Kind): string[] =>
  folders[kind].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => KINDS[kind].extensions.test(name) && !LEFT_OUT.test(name))
      .map((name) => path.join(folder, name)),
  );

class Ours {
  readonly #workers: number;
  readonly #pipeline: Pipeline;

  /** `workers` files are taken at a time. */
  constructor(workers: number) {
    const limits = { fallback: true, compat: '0.9.7', readBytes: 2 * 1024 ** 2, jobSecondsMax: 600 } as const;
    this.#workers = workers;
    this.#pipeline = new Pipeline(
      { workers, ...limits, models: { runtime: 'onnxruntime-node' } },
      {},
      WORKER,
    );
  }

  async run(files: readonly string[]): Promise<Round> {
    const start = performance.now();
    const codes: string[] = [];
    const waiting = files.entries();
    const take = async () => {
      for (const [index, file] of waiting) codes[index] = await this.#code(file);
    };
    await Promise.all(Array.from({ length: this.#workers }, take));
    const seconds = (performance.now() - start) / 1000;
    return { seconds, codes, peak_kib: [await peakOf(process.pid), Math.max(...(await workersPeaks()))] };
  }

  async #code(file: string): Promise<string> {
    try {
      const source = await this.#pipeline.open(file, path.basename(file));
      const { signal } = new AbortController();
      const { result } = await this.#pipeline.process(source, { granular: true, semantic: false }, signal);
      return result.iscc;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  stop(): Promise<void> {
    return this.#pipeline.close();
  }
}

async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0);
}

/** Of the workers. The reference is a child of this process, too. */
async function workersPeaks(): Promise<number[]> {
  const { stdout } = await run('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)]);
  const workers = stdout.split('\n').filter((line) => line.includes(WORKER));
  return Promise.all(workers.map((line) => peakOf(Number.parseInt(line, 10))));
}

const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

const WIDTHS = [1, availableParallelism()];

async function compare(kinds: readonly Kind[]): Promise<void> {
  const theirs = await IsccSdk.start();
  const each = WIDTHS.flatMap((width) => [`isccd/s, ${width} at a time`, 'ratio']);
  console.log(
    ['kind', 'files', 'iscc-sdk/s', ...each, 'target', 'codes equal', 'peak MB (sdk, isccd)'].join('\t'),
  );
  try {
    for (const kind of kinds) await compareKind(kind, theirs);
  } finally {
    theirs.stop();
  }
}

/** Peaks of memory are those of this process and of its largest child, one file at a time. */
async function compareKind(kind: Kind, theirs: IsccSdk): Promise<void> {
  const { target, repeat } = KINDS[kind];
  const files = filesOf(kind);
  const round = Array.from({ length: repeat }, () => files).flat();
  const ours = WIDTHS.map((width) => new Ours(width));
  try {
    const sides = [theirs, ...ours];
    const seconds = sides.map((): number[] => []);
    // The first without a clock: modules, caches, disk.
    const first = await inTurn(sides, files);
    for (let index = 0; index < ROUNDS; index += 1) {
      for (const [side, { seconds: took }] of (await inTurn(sides, round)).entries())
        seconds[side]?.push(took);
    }
    const [rate = Number.NaN, ...rates] = seconds.map((all) => round.length / median(all));
    const [a, ...others] = first.map(({ codes }) => codes);
    const equal = files.filter((_, index) => others.every((b) => b[index] === a?.[index])).length;
    const memory = first.slice(0, 2).map(({ peak_kib: peak }) => `${Math.round((peak[0] + peak[1]) / 1024)}`);
    const figures = rates.flatMap((own) => [own.toFixed(1), `${(own / rate).toFixed(2)}x`]);
    const row = [
      kind,
      files.length,
      rate.toFixed(1),
      ...figures,
      `>= ${target}x`,
      `${equal}/${files.length}`,
    ];
    console.log([...row, memory.join(', ')].join('\t'));
  } finally {
    await Promise.all(ours.map((one) => one.stop()));
  }
}

async function inTurn(sides: readonly (IsccSdk | Ours)[], files: readonly string[]): Promise<Round[]> {
  const rounds: Round[] = [];
  for (const side of sides) rounds.push(await side.run(files));
  return rounds;
}

/** Uploads of a mixed set by several clients at a time. */
async function overHttp(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
  const env = { ...process.env, CODEWEB_PORT: '0', CODEWEB_MEDIA_PATH: folder, CODEWEB_LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [MAIN, 'serve', 'codes'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await new Promise<string>((resolve) => {
      child.stdout.on('data', (data: Buffer) => {
        const found = /http:\/\/\S+/.exec(data.toString())?.[0];
        if (found) resolve(found);
      });
    });
    const mixed = (Object.keys(KINDS) as Kind[])
      .flatMap(filesOf)
      .filter((file) => file.startsWith(fixtures))
      .map((file) => ({ name: path.basename(file), bytes: readFileSync(file) }));
    await clients(url, mixed, 5);
    const times = (await clients(url, mixed, HTTP_SECONDS)).sort((a, b) => a - b);
    const at = (share: number) => `${(times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(0)} ms`;
    const rate = (times.length / HTTP_SECONDS).toFixed(1);
    console.log(
      `POST /iscc, ${mixed.length} files of all kinds, ${CLIENTS} clients: ${rate}/s, p50 ${at(0.5)}, p99 ${at(0.99)}`,
    );
  } finally {
    child.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Milliseconds of every upload within so many seconds. */
async function clients(
  url: string,
  files: readonly { readonly name: string; readonly bytes: Buffer }[],
  seconds: number,
): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  let next = 0;
  const client = async () => {
    while (performance.now() < end) {
      const file = files[next % files.length];
      next += 1;
      if (file === undefined) return;
      const start = performance.now();
      const headers = { 'X-Upload-Filename': Buffer.from(file.name).toString('base64') };
      const body = new Uint8Array(file.bytes);
      const answer = await fetch(`${url}/api/v1/iscc`, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      if (answer.status !== 201) throw new Error(`${file.name}: ${answer.status}`);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return times;
}

const wanted = process.argv.slice(2);
const kinds = (Object.keys(KINDS) as Kind[]).filter((kind) => wanted.length === 0 || wanted.includes(kind));
await compare(kinds);
if (wanted.length === 0 || wanted.includes('http')) await overHttp();
