/** Copies a folder of indexes while the service runs. */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { native } from '../../native.js';
import { Copier } from '../../storage/data/copier.js';
import { FORMAT_FILE } from '../../storage/data/format.js';
import type { Copied, OnStep } from '../../storage/data/port.js';
import type { CopyJob, CopyMessage } from './backup-process.js';
import { ALIAS_FILE, ID_FILE, KEY_FILE, WATCH_FILE } from './engine/open.js';

const PROCESS = fileURLToPath(new URL('./backup-process.js', import.meta.url));
const FILES = [FORMAT_FILE, ID_FILE, KEY_FILE, ALIAS_FILE];

/**
 * The copy of each index is consistent: LMDB allows readers in other processes while one process writes. A damaged index
 * is not copied, and named among the problems.
 *
 * @param signal ends the process that copies
 * @throws the reason of the signal
 */
export async function backupSearch(
  folder: string,
  target: string,
  onStep: OnStep,
  signal?: AbortSignal,
): Promise<Copied> {
  await mkdir(target, { recursive: true });
  const counts: Record<string, number> = {};
  const files: string[] = [];
  const notes: string[] = [];
  const problems: string[] = [];
  let full: string | undefined;
  const onCopied = (message: CopyMessage) => {
    const { name } = message;
    if (message.type === 'full') full = message.reason;
    if (message.type === 'failed') problems.push(damaged(name, message.reason));
    if (message.type !== 'copied') return;
    counts[name] = message.assets;
    if (message.problems > 0)
      notes.push(`index ${name} has ${message.problems} problems; run isccd verify to list them`);
    files.push(path.posix.join(name, 'data.mdb'));
    onStep();
  };
  await copyAll({ folder, target, names: await native.searchIndexNames(folder) }, onCopied, signal);
  if (full !== undefined) throw new Error(full);
  const copier = new Copier(folder, target);
  for (const name of Object.keys(counts)) await copier.drop(path.join(name, 'lock.mdb'));
  for (const file of FILES) if (await copier.copy(file)) files.push(file);
  await copyWatches(folder, target, files);
  await copier.finish();
  return { counts, files, notes, problems };
}

/** With SQLite's own copy: its file alone lacks the last commits. */
async function copyWatches(folder: string, target: string, files: string[]): Promise<void> {
  if (!existsSync(path.join(folder, WATCH_FILE))) return;
  const { copySqlite } = await import('../../storage/database/sqlite.js');
  copySqlite(path.join(folder, WATCH_FILE), path.join(target, WATCH_FILE));
  files.push(WATCH_FILE);
}

function damaged(name: string, reason: string): string {
  return (
    `index ${name} was not copied: ${reason}; restore it from an earlier backup, or salvage its rows with ` +
    'isccd index repair'
  );
}

/** Copies in another process: reading damaged data may crash it. The rest is copied by a new one then. */
async function copyAll(
  job: CopyJob,
  onCopied: (message: CopyMessage) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let { names } = job; names.length > 0; ) {
    let done = 0;
    const onMessage = (message: CopyMessage) => {
      done += 1;
      if (!signal?.aborted) onCopied(message);
    };
    const crash = await copyIn({ ...job, names }, onMessage, signal);
    signal?.throwIfAborted();
    const unfinished = names[done];
    if (unfinished !== undefined) {
      await rm(path.join(job.target, unfinished), { recursive: true, force: true });
      onCopied({ type: 'failed', name: unfinished, reason: crash });
      done += 1;
    }
    names = names.slice(done);
  }
}

/** Resolves when the process ends, with how it ended. */
function copyIn(
  job: CopyJob,
  onMessage: (message: CopyMessage) => void,
  signal: AbortSignal | undefined,
): Promise<string> {
  return new Promise((resolve) => {
    const child = fork(PROCESS, [JSON.stringify(job)], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      ...(signal && { signal, killSignal: 'SIGKILL' }),
    });
    let failure: string | undefined;
    child.on('message', (message) => onMessage(message as CopyMessage));
    child.on('error', ({ message }) => {
      failure = message;
      // A program that does not start has no end.
      if (child.pid === undefined) resolve(message);
    });
    child.on('close', (code, ended) => resolve(failure ?? `reading it ended the process (${ended ?? code})`));
  });
}
