/** A new password from the person at the terminal, who does not see it, or from a pipe. */
import type { ReadStream } from 'node:tty';
import { CommandFailed, EXIT_INTERRUPTED } from './failure.js';

export interface PasswordOptions {
  readonly passwordStdin?: boolean;
}

/** No password is longer; a file that is piped in by mistake is not read to its end. */
const STDIN_CHARACTERS_MAX = 4096;

/** @throws {CommandFailed} if the two entries differ, or there is no terminal and no `--password-stdin` */
export async function newPassword({ passwordStdin }: PasswordOptions): Promise<string> {
  if (passwordStdin) return fromPipe();
  if (!process.stdin.isTTY) {
    throw new CommandFailed('there is no terminal to ask at; pipe the password with --password-stdin');
  }
  const password = await ask(process.stdin, 'Password: ');
  if ((await ask(process.stdin, 'The same again: ')) !== password) {
    throw new CommandFailed('the two entries differ');
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

/** Reads a line key by key: in raw mode the terminal shows nothing of it. */
function ask(terminal: ReadStream, question: string): Promise<string> {
  // In this order: who types ahead at the sight of the question must not see it either.
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
          return finish(() => reject(new CommandFailed('nothing was changed', EXIT_INTERRUPTED)));
        }
        if (ERASE.test(character)) characters.pop();
        else characters.push(character);
      }
    };
    terminal.on('data', onData);
  });
}
