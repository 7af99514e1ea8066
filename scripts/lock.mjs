/** A lock between processes: a file that names the process that holds it. Uses only Node's built-in modules. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const POLL_MS = 200;
/** Polls after which an empty file counts as that of a process which was killed while it created the lock. */
const UNNAMED_POLLS_MAX = 10;
/** Errors of writes to a folder of another user, or of a file system that is mounted for reading. */
const READ_ONLY = new Set(['EACCES', 'EPERM', 'EROFS']);

/**
 * Runs `work` while no other process runs one with the same lock file. Waits for a process that does, and calls
 * `onWait` with its number before. The lock of a process that was killed is taken over. Cannot be nested. A folder that
 * this process may not write to needs no lock.
 *
 * @template Result
 * @param {string} file
 * @param {() => Result} work
 * @param {(pid: string) => void} [onWait]
 * @returns {Result}
 */
export function exclusively(file, work, onWait = () => {}) {
  const name = holder(process.pid) ?? '';
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    acquire(file, name, onWait);
  } catch (error) {
    if (READ_ONLY.has(error.code)) return work();
    throw error;
  }
  const release = () => {
    if (contents(file) === name) rmSync(file, { force: true });
  };
  // Also if `work` ends the process.
  process.once('exit', release);
  try {
    return work();
  } finally {
    process.off('exit', release);
    release();
  }
}

function acquire(file, name, onWait) {
  let polls = 0;
  while (!isCreated(file, name)) {
    const held = contents(file);
    if (held === undefined) continue;
    const [pid = ''] = held.split(' ');
    const hasEnded = held === '' ? polls >= UNNAMED_POLLS_MAX : holder(Number(pid)) !== held;
    if (hasEnded) {
      takeAway(file, held);
      continue;
    }
    if (polls === 0) onWait(pid);
    polls += 1;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

/** Creates a file. Returns whether it did not exist. */
function isCreated(file, text) {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock of a process that has ended. A lock that another process has taken since is put back. */
function takeAway(file, held) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  const moved = contents(aside) ?? '';
  if (moved !== held) isCreated(file, moved);
  rmSync(aside);
}

function contents(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The number of a running process, and on Linux its start: numbers are used again. `undefined` if it has ended. */
function holder(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return undefined;
  }
  // The name of the program, in brackets, may contain spaces. The start is the 20th field after it.
  const fields = contents(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ');
  return [pid, fields?.[19]].filter((field) => field !== undefined).join(' ');
}
