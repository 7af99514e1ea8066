/**
 * `POST /v1/matches/byContent` of the resolver compared with `POST /iscc` of the codes service, for the same files in
 * one process. Requests alternate, so that other load on the machine affects both. `-- 5` makes five rounds.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ARGUMENTS, quickOr } from './support/options.js';

const ROUNDS = Number(ARGUMENTS[0] ?? quickOr(1, 20));
const RATIO_MAX = 1.3;
const FILES = ['photo-q85_a.jpg', 'large_a.jpg', 'doc_a.rtf', 'life_a.avi', 'chords_a.wav'];

const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../test/fixtures/codes/files/', import.meta.url));

const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
const child = start();
try {
  const urls = await listening(child);
  console.log('file               POST /iscc   byContent   ratio');
  for (const file of FILES.slice(0, quickOr(2, FILES.length))) await compare(file, urls);
} finally {
  child.kill();
  await rm(folder, { recursive: true, force: true });
}

function start(): ChildProcess {
  const env = {
    ISCCD_DATA_DIR: folder,
    CODEWEB_PORT: '0',
    CODEWEB_MEDIA_PATH: path.join(folder, 'media'),
    CODEWEB_LOG_LEVEL: 'warn',
    CODESDK_GRANULAR: 'false',
    INDEXSVC_PORT: '0',
    INDEXSVC_LOG_LEVEL: 'warn',
    RESOLVER_PORT: '0',
    RESOLVER_LOG_LEVEL: 'warn',
    RESOLVER_BY_CONTENT: '1',
  };
  return spawn(process.execPath, [MAIN, 'serve', 'codes', 'search', 'resolver'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function listening(server: ChildProcess): Promise<{ codes: string; resolver: string }> {
  let output = '';
  for await (const data of server.stdout ?? []) {
    output += data;
    const codes = /^codes +(http:\/\/\S+) /m.exec(output)?.[1];
    const resolver = /^resolver +(http:\/\/\S+) /m.exec(output)?.[1];
    if (codes !== undefined && resolver !== undefined) return { codes, resolver };
  }
  throw new Error(`the services do not start: ${output}`);
}

async function compare(
  file: string,
  { codes, resolver }: { codes: string; resolver: string },
): Promise<void> {
  const body = await readFile(path.join(FIXTURES, file));
  const name = { 'X-Upload-Filename': Buffer.from(file).toString('base64') };
  const upload = () => timed(`${codes}/api/v1/iscc`, body, name);
  const query = () => timed(`${resolver}/v1/matches/byContent`, body, {});
  await upload();
  await query();
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    times[0].push(await upload());
    times[1].push(await query());
  }
  const [iscc, byContent] = times.map(median) as [number, number];
  const columns = [iscc, byContent].map((ms) => `${ms.toFixed(1)} ms`.padStart(12)).join('');
  const ratio = byContent / iscc;
  console.log(
    `${file.padEnd(17)}${columns}${ratio.toFixed(2).padStart(8)}${ratio > RATIO_MAX ? ' too slow' : ''}`,
  );
}

async function timed(url: string, body: Buffer, headers: Record<string, string>): Promise<number> {
  const start = performance.now();
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
