/** `isccd store gen-key` and `isccd store hash-token`: the operator's two secrets. */
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { environment } from '../../platform/config/env.js';
import { storeVariables } from '../../platform/config/store.js';
import { readVariables } from '../../platform/config/variable.js';
import { didDocument, didOf } from '../../platform/signing/did-web.js';
import { generateSecretKey, SigningKey } from '../../platform/signing/key.js';
import { CommandFailed } from '../terminal/failure.js';

/** Prints a new secret key as a line for `.env`, then the DID document that the store will publish. */
export function generateKey(options: { url?: string; json?: boolean }): void {
  const given = options.url === undefined ? environment() : { [storeVariables.url.name]: options.url };
  const { url } = readVariables({ url: storeVariables.url }, given);
  const secret = generateSecretKey();
  const document =
    url === undefined ? undefined : didDocument(didOf(url), SigningKey.parse(secret).publicKey);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ [storeVariables.secretSeed.name]: secret, did: document })}\n`);
    return;
  }
  process.stdout.write(`${storeVariables.secretSeed.name}=${secret}\n`);
  if (document === undefined) {
    process.stderr.write('isccd: to print the DID document, set MSTORE_URL or pass --url\n');
  } else process.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
}

/** The store answers every guess of the operator's token, so that strangers can't lock the operator out. */
const TOKEN_CHARS_MIN = 20;

/** Prints the SHA-256 of a token in hex, the value of `MSTORE_OPERATOR_TOKEN_SHA256`. */
export async function hashToken(token: string | undefined, options: { json?: boolean } = {}): Promise<void> {
  const given = token ?? (await readToken());
  if (given === '') throw new CommandFailed('the token is empty');
  if (given.length < TOKEN_CHARS_MIN)
    process.stderr.write(
      'isccd: a token this short can be guessed: use 20 random characters, e.g. of openssl rand -hex 16\n',
    );
  const digest = createHash('sha256').update(given).digest('hex');
  const named = { [storeVariables.operatorTokenSha256.name]: digest };
  process.stdout.write(`${options.json ? JSON.stringify(named) : digest}\n`);
}

/** Standard input without the final line break. Safer than an argument, which other users of the machine can see. */
async function readToken(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Token, then Enter and Ctrl-D: ');
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}
