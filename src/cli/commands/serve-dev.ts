/** `isccd serve --dev`: shows details in error responses and restarts the services when the program or `.env` changes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commonVariables } from '../../platform/config/common.js';
import { environmentWithDefault } from '../../platform/config/env.js';
import { onHangUp } from '../hang-up.js';

/** The compiled program. */
const PROGRAM = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = path.join(PROGRAM, 'cli/main.js');
const ENV_FILE = '.env';
/** Compilers write many files in a row. */
const QUIET_MS = 300;

/** Runs `isccd serve` with these arguments in a child process; never resolves before a signal ends it. */
export async function serveWithReload(args: readonly string[]): Promise<never> {
  let child = start(args);
  let timer: NodeJS.Timeout | undefined;
  let restarted = Promise.resolve();
  const restart = async (file: string) => {
    process.stderr.write(`isccd: ${file} changed, restarting\n`);
    await stop(child);
    child = start(args);
  };
  const onChange = (file: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      restarted = restarted.then(() => restart(file));
    }, QUIET_MS);
  };
  onHangUp(() => child.kill('SIGHUP'));
  const watchers = watchSources(onChange);
  const signal = await nextSignal();
  clearTimeout(timer);
  for (const watcher of watchers) watcher.close();
  await restarted;
  await stop(child, signal);
  process.exit(child.exitCode ?? 1);
}

function start(args: readonly string[]): ChildProcess {
  const env = environmentWithDefault(commonVariables.environment.name, 'development');
  return spawn(process.execPath, [...process.execArgv, MAIN, 'serve', ...args], { stdio: 'inherit', env });
}

/** Resolves when the process has exited. */
async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exited;
}

function watchSources(onChange: (file: string) => void): FSWatcher[] {
  const program = watch(PROGRAM, { recursive: true }, (_, file) => {
    if (file?.endsWith('.js')) onChange(file);
  });
  // The folder, because editors replace the file.
  const folder = watch('.', (_, file) => {
    if (file === ENV_FILE) onChange(ENV_FILE);
  });
  return [program, folder];
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
}
