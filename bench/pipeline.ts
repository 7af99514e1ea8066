/**
 * Files to ISCC-CODEs, by kind of file, compared with iscc-sdk (PyPI) on the same files in alternating rounds. iscc-sdk
 * processes one file at a time; isccd one at a time, and one per core as in `isccd code`. These are short files, for which
 * starting programs counts most. Then files of real sizes (`sizes`, with `long` also longer ones), the CPU time of short
 * clips, and uploads of all kinds over HTTP by several concurrent clients.
 */
import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Pipeline } from '../src/services/codes/pipeline/pipeline.js';
import { pythonPackage } from '../test/support/set-up.js';
import { measureClips } from './support/clips.js';
import { IsccSdk, type Round } from './support/iscc-sdk.js';
import { ARGUMENTS, QUICK, quickOr } from './support/options.js';
import { compareSizes } from './support/real-sizes.js';

const ROUNDS = quickOr(1, 3);
const CLIENTS = 8;
const HTTP_SECONDS = quickOr(1, 20);
const run = promisify(execFile);

const WORKER = fileURLToPath(new URL('../dist/services/codes/pipeline/worker.js', import.meta.url));
const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const fixtures = fileURLToPath(new URL('../test/fixtures/codes/files', import.meta.url));
/** In the short form only the repository's own files are used. */
const samples = QUICK
  ? undefined
  : path.join(await pythonPackage('iscc-samples==0.6.0'), 'iscc_samples', 'files');

/** Kinds of files: extensions, target speed as a multiple of the reference's, and repetitions of each file per round. */
const KINDS = {
  image: { extensions: /\.(jpg|png|webp|tif|gif|bmp)$/, target: 5, repeat: 2 },
  text: { extensions: /\.(txt|md|json|html|xml|csv)$/, target: 10, repeat: 10 },
  documents: { extensions: /\.(pdf|docx|xlsx|pptx|odt|epub|rtf)$/, target: 5, repeat: 3 },
  audio: { extensions: /\.(mp3|wav|flac|ogg|opus|aif|aac)$/, target: 3, repeat: 2 },
  video: { extensions: /\.(mp4|mov|mkv|webm|avi|mpg|flv|wmv)$/, target: 1.2, repeat: 1 },
} as const;

type Kind = keyof typeof KINDS;

const folders: Readonly<Record<Kind, readonly string[]>> = {
  image: [fixtures, ...sampleFolder('image')],
  text: [fixtures, ...sampleFolder('text')],
  documents: [fixtures, ...sampleFolder('text')],
  audio: [fixtures, ...sampleFolder('audio')],
  video: [fixtures, ...sampleFolder('video')],
};

function sampleFolder(name: string): string[] {
  return samples === undefined ? [] : [path.join(samples, name)];
}

/** Files that are excluded because the reference fails on them or detects another type. */
const EXCLUDED = /^(corrupt|truncated|blank|short1s|text-named|wav-named|latin1|mixed)_|short\.wav$/;

const filesOf = (kind: Kind): string[] =>
  folders[kind].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => KINDS[kind].extensions.test(name) && !EXCLUDED.test(name))
      .map((name) => path.join(folder, name)),
  );

class Ours {
  readonly #workers: number;
  readonly #pipeline: Pipeline;

  /** Processes `workers` files concurrently. */
  constructor(workers: number) {
    const limits = { fallback: true, compat: '0.9.7', readBytes: 2 * 1024 ** 2, jobSecondsMax: 600 } as const;
    this.#workers = workers;
    this.#pipeline = new Pipeline(
      {
        workers,
        ...limits,
        models: { runtime: 'onnxruntime-node' },
        places: { work: path.join(tmpdir(), 'isccd-bench') },
      },
      {},
      WORKER,
    );
  }

  async run(files: readonly string[]): Promise<Round> {
    const start = performance.now();
    const codes: string[] = [];
    const pending = files.entries();
    const work = async () => {
      for (const [index, file] of pending) codes[index] = await this.code(file);
    };
    await Promise.all(Array.from({ length: this.#workers }, work));
    const seconds = (performance.now() - start) / 1000;
    return { seconds, codes, peak_kib: [await peakKib(process.pid), Math.max(...(await workerPeaksKib()))] };
  }

  async code(file: string): Promise<string> {
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

/** Peak memory of a process. */
async function peakKib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0);
}

/** Peak memory of each worker. Selects workers by their arguments, because the reference is also a child process. */
async function workerPeaksKib(): Promise<number[]> {
  const { stdout } = await run('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)]);
  const workers = stdout.split('\n').filter((line) => line.includes(WORKER));
  return Promise.all(workers.map((line) => peakKib(Number.parseInt(line, 10))));
}

const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

/** Numbers of concurrent files. */
const WIDTHS = [1, availableParallelism()];

async function compare(kinds: readonly Kind[]): Promise<void> {
  if (kinds.length === 0) return;
  // In the short form isccd takes the place of the reference.
  const theirs = QUICK ? new Ours(1) : await IsccSdk.start();
  const each = WIDTHS.flatMap((width) => [`isccd/s, ${width} concurrent`, 'ratio']);
  console.log(
    ['kind', 'files', 'iscc-sdk/s', ...each, 'target', 'codes equal', 'peak MB (sdk, isccd)'].join('\t'),
  );
  try {
    for (const kind of kinds) await compareKind(kind, theirs);
  } finally {
    await theirs.stop();
  }
}

/** Compares one kind of file. Peak memory is the sum of this process and its largest child, with one file at a time. */
async function compareKind(kind: Kind, theirs: IsccSdk | Ours): Promise<void> {
  const { target, repeat } = KINDS[kind];
  const files = filesOf(kind);
  const round = Array.from({ length: quickOr(1, repeat) }, () => files).flat();
  const ours = WIDTHS.map((width) => new Ours(width));
  try {
    const sides = [theirs, ...ours];
    const seconds = sides.map((): number[] => []);
    // An unmeasured round loads modules and fills caches.
    const first = await runAll(sides, files);
    for (let index = 0; index < ROUNDS; index += 1) {
      for (const [side, { seconds: took }] of (await runAll(sides, round)).entries())
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

/** Runs one round on each side, one side after the other. */
async function runAll(sides: readonly (IsccSdk | Ours)[], files: readonly string[]): Promise<Round[]> {
  const rounds: Round[] = [];
  for (const side of sides) rounds.push(await side.run(files));
  return rounds;
}

/** Measures uploads of all kinds by concurrent clients. */
async function measureHttp(): Promise<void> {
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
    await uploadTimes(url, mixed, quickOr(0.2, 5));
    const times = (await uploadTimes(url, mixed, HTTP_SECONDS)).sort((a, b) => a - b);
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

/** Duration in ms of every upload within the given seconds. */
async function uploadTimes(
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
      const response = await fetch(`${url}/api/v1/iscc`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      if (response.status !== 201) throw new Error(`${file.name}: ${response.status}`);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return times;
}

async function measureSizes(): Promise<void> {
  const cores = availableParallelism();
  const ours = new Ours(cores);
  // In the short form isccd takes the place of the reference, which may also be missing.
  const theirs = QUICK ? undefined : await IsccSdk.start().catch(() => undefined);
  const root = process.pid;
  const sdk = theirs?.pid && {
    tree: { root: theirs.pid },
    code: async (file: string) => String((await theirs.run([file])).codes[0]),
  };
  const own = { tree: { root, without: theirs?.pid }, code: (file: string) => ours.code(file) };
  try {
    await compareSizes({ theirs: sdk || (QUICK ? own : undefined), ours: own }, cores);
  } finally {
    theirs?.stop();
    await ours.stop();
  }
}

const named = ARGUMENTS.filter((argument) => argument !== 'long');
const selected = named.length > 0 || !QUICK ? named : ['image', 'text', 'sizes', 'http'];
const isSelected = (name: string) => selected.length === 0 || selected.includes(name);
await compare((Object.keys(KINDS) as Kind[]).filter(isSelected));
if (isSelected('sizes')) await measureSizes();
if (isSelected('clips')) {
  const ours = new Ours(1);
  await measureClips((file) => ours.code(file), quickOr(2, 20)).finally(() => ours.stop());
}
if (isSelected('http')) await measureHttp();
