/** Records what concurrent clients do and see, for a checker of linearizability. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { debianProgram, folderOf } from '../../support/set-up.js';

/** What a client asks for. */
export interface Request {
  readonly client: number;
  /** Operations on different keys do not depend on each other. */
  readonly key: string;
  readonly kind: 'write' | 'remove' | 'read';
  /** Of a write; different for each. */
  readonly value?: string;
}

interface Operation extends Request {
  /** Monotonic times in ns. */
  readonly call: number;
  readonly return: number;
  /**
   * Of a write: `created` or `replaced`, or `written` if the service does not say which; of a removal: `present` or
   * `absent`; of a read: the value, empty if the key has no value.
   * Absent if the client does not know whether the operation took effect.
   */
  readonly result?: string | undefined;
}

/** What happened is unknown to the client: the connection broke, or the service says that it can't tell. */
export const UNKNOWN = undefined;
/** The operation was not sent. */
export const NOT_SENT = null;

export class History {
  readonly operations: Operation[] = [];
  /** Numbers of operations without a known result, by key. */
  readonly #unknown = new Map<string, number>();
  #known = 0;

  /** @param perform resolves to the result; rejects if it is unknown */
  async record(
    request: Request,
    perform: () => Promise<string | typeof UNKNOWN | typeof NOT_SENT>,
  ): Promise<void> {
    const call = now();
    const result = await perform().catch(() => UNKNOWN);
    // A read without a result says nothing.
    if (result === NOT_SENT || (request.kind === 'read' && result === UNKNOWN)) return;
    this.operations.push({ ...request, call, return: now(), result });
    if (result === UNKNOWN) this.#unknown.set(request.key, this.unknownOf(request.key) + 1);
    else this.#known += 1;
  }

  /** Number of operations with a known result. */
  get known(): number {
    return this.#known;
  }

  /** Number of operations on a key without a known result. */
  unknownOf(key: string): number {
    return this.#unknown.get(key) ?? 0;
  }
}

/** Times of one process only order its own calls. */
function now(): number {
  return Math.round(performance.now() * 1e6);
}

const SOURCE = fileURLToPath(new URL('./linearizable', import.meta.url));

/** What the checker porcupine says of a history: `ok`, or the keys that are wrong, with their operations. */
export async function judged({ operations }: History): Promise<string> {
  const folder = await folderOf(`linearizable-${await sourceDigest()}`, build);
  const checker = spawn(path.join(folder, 'checker'), { stdio: ['pipe', 'pipe', 'inherit'] });
  checker.stdin.end(operations.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const verdicts = (await text(checker.stdout)).trim().split('\n');
  return verdicts
    .map((verdict) => [verdict, ...listed(operations, verdict.split(':')[0])].join('\n'))
    .join('\n');
}

/** One line per operation of a key, with times in ms. */
function listed(operations: readonly Operation[], key: string | undefined): readonly string[] {
  const own = operations.filter((one) => one.key === key).sort((a, b) => a.call - b.call);
  const ms = (time: number) => ((time - (own[0]?.call ?? 0)) / 1e6).toFixed(1);
  return own.map(
    ({ client, kind, value = '', result = '?', ...one }) =>
      `  client ${client}, ${ms(one.call)} to ${ms(one.return)}: ${kind} ${value} -> ${result || 'nothing'}`,
  );
}

/** A changed checker is built again. */
async function sourceDigest(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['go.sum', 'main.go']) hash.update(await readFile(path.join(SOURCE, name)));
  return hash.digest('hex').slice(0, 8);
}

async function build(folder: string): Promise<void> {
  const go = debianProgram(['go'], 'golang-go');
  await cp(SOURCE, folder, { recursive: true });
  await promisify(execFile)(go, ['build', '-o', 'checker', '.'], { cwd: folder });
}
