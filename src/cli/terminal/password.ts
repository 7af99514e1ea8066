/** Reads a new password from the terminal, without echo, or from standard input. */
import type { ReadStream } from 'node:tty';
import { CommandFailed, EXIT_INTERRUPTED } from './failure.js';

export interface PasswordOptions {
  readonly passwordStdin?: boolean;
}

/** Longer than any password; stops reading a large file that is piped in by mistake. */
const STDIN_CHARACTERS_MAX = 4096;

/** @throws {CommandFailed} if the two entries differ, or there is no terminal and no `--password-stdin` */
export async function newPassword({ passwordStdin }: PasswordOptions): Promise<string> {
  if (passwordStdin) return fromPipe();
  if (!process.stdin.isTTY) {
    throw new CommandFailed('no terminal to read the password from; pipe it with --password-stdin');
  }
  const password = await prompt(process.stdin, 'Password: ');
  if ((await prompt(process.stdin, 'Repeat password: ')) !== password) {
    throw new CommandFailed('the passwords differ');
  }
  return password;
}

/** The first line. */
async function fromPipe(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) {
    text += chunk;
    if (text.includes('\n') || text.length > STDIN_CHARACTERS_MAX) break;
  }
  return (text.split('\n', 1)[0] ?? '').replace(/\r$/, '');
}

const ENTER = /[\r\n]/;
const INTERRUPT = '\u0003';
const END = '\u0004';
const ERASE = /[\u007f\b]/;

/** Reads a line key by key, in raw mode, in which the terminal does not echo. */
function prompt(terminal: ReadStream, question: string): Promise<string> {
  // Raw mode first, so that keys typed right after the question are not echoed.
  terminal.setRawMode(true);
  process.stderr.write(question);
  terminal.setEncoding('utf8');
  terminal.resume();
  return new Promise((resolve, reject) => {
    const characters: string[] = [];
    const finish = (settle: () => void) => {
      terminal.removeListener('data', onData);
      terminal.setRawMode(false);
      terminal.pause();
      process.stderr.write('\n');
      settle();
    };
    const onData = (data: string) => {
      for (const character of data) {
        if (ENTER.test(character)) return finish(() => resolve(characters.join('')));
        if (character === INTERRUPT || character === END) {
          return finish(() => reject(new CommandFailed('cancelled; nothing was changed', EXIT_INTERRUPTED)));
        }
        if (ERASE.test(character)) characters.pop();
        else characters.push(character);
      }
    };
    terminal.on('data', onData);
  });
}
