/** Runs programs on a pseudo-terminal, by `script` of util-linux (Linux only). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
const INTERRUPT = '\u0003';

/**
 * Starts a program whose input, output and errors are one terminal.
 *
 * @param {readonly string[]} words the program and its arguments
 * @param {{ cwd?: string | undefined, env?: Record<string, string | undefined> | undefined, columns?: number | undefined }} options
 */
export function startOnTerminal(words, { cwd, env = process.env, columns = 80 } = {}) {
  const line = `stty cols ${columns} rows 24; exec ${words.map(quoted).join(' ')}`;
  // `script` takes the shell of the user otherwise.
  const variables = { ...env, SHELL: '/bin/sh' };
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', line, '/dev/null'], {
    cwd,
    env: variables,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (data) => (output += data));
  }
  child.stdin.on('error', () => {});
  const ended = once(child, 'close').then(([code]) => code);
  // The terminal ends lines with a carriage return, too.
  const shown = () => output.replaceAll('\r\n', '\n');
  return {
    /** All that the terminal has received. */
    output: shown,
    /** Resolves with the exit status. */
    ended,
    /** Presses keys. */
    type: (keys) => child.stdin.write(keys),
    /** Presses Ctrl-C. */
    interrupt: () => child.stdin.write(INTERRUPT),
    /** Closes the terminal. */
    close: () => child.kill('SIGKILL'),
    /** Waits until the output matches. Rejects with the output if the program ends before, or after `msMax`. */
    async shows(pattern, msMax = 60_000) {
      const deadline = performance.now() + msMax;
      while (!pattern.test(shown())) {
        if (child.exitCode !== null) throw new Error(`it ended (${child.exitCode}):\n${shown()}`);
        if (performance.now() > deadline) throw new Error(`it does not show ${pattern}:\n${shown()}`);
        await sleep(POLL_MS);
      }
    },
  };
}

/** Runs a program on a terminal until it ends. */
export async function runOnTerminal(words, options) {
  const running = startOnTerminal(words, options);
  const code = await running.ended;
  return { code, output: running.output() };
}

const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;
