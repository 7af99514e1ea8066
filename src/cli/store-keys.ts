/** `isccd store gen-key` and `isccd store hash-token`: the two secrets of an operator. */
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { environment } from '../config/env.js';
import { storeVariables } from '../config/store.js';
import { readVariables } from '../config/variable.js';
import { didDocument, didOf } from '../signing/did-web.js';
import { generateSecretKey, SigningKey } from '../signing/key.js';
import { CommandFailed, readOrFail } from './failure.js';

/** Prints a new secret key as a line for the environment, then what the store will publish about it. */
export function generateKey(options: { url?: string }): void {
  const { url } = readOrFail(() => {
    const given = options.url === undefined ? environment() : { [storeVariables.url.name]: options.url };
    return readVariables({ url: storeVariables.url }, given);
  });
  const secret = generateSecretKey();
  process.stdout.write(`MSTORE_SECKEY=${secret}\n`);
  if (url === undefined) {
    process.stderr.write('isccd: for its did document, set MSTORE_URL or give --url\n');
    return;
  }
  const document = didDocument(didOf(url), SigningKey.parse(secret).publicKey);
  process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
}

/** Prints the SHA-256 of a token, in hex: what `MSTORE_OPERATOR_TOKEN_SHA256` takes. */
export async function hashToken(token: string | undefined): Promise<void> {
  const given = token ?? (await readToken());
  if (given === '') throw new CommandFailed('the token is empty');
  process.stdout.write(`${createHash('sha256').update(given).digest('hex')}\n`);
}

/** All of standard input but the end of its line; arguments can be seen by every user of the machine. */
async function readToken(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Token, then Enter and Ctrl-D: ');
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}
