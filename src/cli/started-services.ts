/**
 * Which services run on this machine, for `isccd check health --started`: each `isccd serve` keeps a file about itself in
 * the temporary folder, in a subfolder per user. Not in the data folder, which processes of several containers share.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ServiceName } from '../compose/service-names.js';

/** A service of a running process. */
export interface StartedService {
  readonly name: ServiceName;
  /** As reached from this machine. `undefined` while the service starts. */
  readonly url?: string;
}

interface Content {
  /** When the process started. Another one may have got its id after a crash. */
  readonly since: string;
  readonly services: readonly StartedService[];
}

/** The file of this process. It is removed when the process exits. */
export class StartedRecord {
  readonly #urls: Map<ServiceName, string | undefined>;
  readonly #onFailure: (error: unknown) => void;
  #hasFailed = false;

  /** @param onFailure receives the first error: the services work without the file */
  constructor(names: readonly ServiceName[], onFailure: (error: unknown) => void) {
    this.#urls = new Map(names.map((name) => [name, undefined]));
    this.#onFailure = onFailure;
    this.#attempt(() => {
      makeFolder();
      if (!isOwn()) throw new Error(`${startedFolder()} is not a folder of this user alone`);
      removeStale();
      this.#write();
      process.on('exit', removeOwn);
    });
  }

  add(name: ServiceName, url: string): void {
    this.#urls.set(name, url);
    this.#attempt(() => this.#write());
  }

  #write(): void {
    const services = [...this.#urls].map(([name, url]) => {
      return url === undefined ? { name } : { name, url: reachableUrl(url) };
    });
    const content: Content = { since: startOf(process.pid) ?? '', services };
    const draft = `${fileOf(process.pid)}.partial`;
    writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
    renameSync(draft, fileOf(process.pid));
  }

  #attempt(work: () => void): void {
    if (this.#hasFailed) return;
    try {
      work();
    } catch (error) {
      this.#hasFailed = true;
      this.#onFailure(error);
    }
  }
}

/** Services of all processes of this user that run with the same temporary folder. */
export function startedServices(): StartedService[] {
  return isOwn() ? pids().flatMap((pid) => runningContent(pid)?.services ?? []) : [];
}

/** Where they are looked up, for messages. */
export function startedFolder(): string {
  return path.join(tmpdir(), `isccd-${process.getuid?.() ?? 'user'}`);
}

/** Not `recursive`: Node.js never ends that in a folder in which none can be created. */
function makeFolder(): void {
  try {
    mkdirSync(startedFolder(), { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function removeOwn(): void {
  try {
    rmSync(fileOf(process.pid), { force: true });
  } catch {
    // The next process that starts removes it.
  }
}

/** Others may write to the temporary folder, too: they must not choose which files are written and what is probed. */
function isOwn(): boolean {
  const found = lstatSync(startedFolder(), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  const user = process.getuid?.();
  return user === undefined || (found.uid === user && (found.mode & 0o022) === 0);
}

function fileOf(pid: number): string {
  return path.join(startedFolder(), `${pid}.json`);
}

function pids(): number[] {
  return readdirSync(startedFolder()).flatMap((name) => Number(/^(\d+)\.json$/.exec(name)?.[1] ?? []));
}

/** `undefined` if the process has ended, or has not written the file. */
function runningContent(pid: number): Content | undefined {
  const since = startOf(pid);
  if (since === undefined) return undefined;
  try {
    const content = JSON.parse(readFileSync(fileOf(pid), 'utf8')) as Content;
    return content.since === since ? content : undefined;
  } catch {
    // It has been removed since, or the disk was full.
    return undefined;
  }
}

/** A process that was killed has left its file. */
function removeStale(): void {
  for (const pid of pids()) if (runningContent(pid) === undefined) rmSync(fileOf(pid), { force: true });
}

const SINCE_FIELD = 19;

/** When a process started, in a form to compare. Outside of Linux it says only that the process runs. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') return process.kill(pid, 0) ? 'running' : undefined;
    // The name of the program, in parentheses, may contain spaces.
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[SINCE_FIELD];
  } catch {
    return undefined;
  }
}

/** A service that listens on all addresses is reachable on loopback. */
export function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
