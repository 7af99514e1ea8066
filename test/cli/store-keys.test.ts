/** `isccd store gen-key` and `hash-token`, as an operator runs them. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { didDocument } from '../../src/platform/signing/did-web.js';
import { SigningKey } from '../../src/platform/signing/key.js';

const main = path.resolve(import.meta.dirname, '../../dist/cli/main.js');
const run = promisify(execFile);
const store = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(process.execPath, [main, 'store', ...args], { env: { ...process.env, ...env } });

async function withInput(args: readonly string[], input: string): Promise<{ stdout: string; code: number }> {
  const child = spawn(process.execPath, [main, 'store', ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(input);
  const ended = new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? -1)));
  return { stdout: await text(child.stdout), code: await ended };
}

describe('isccd store gen-key', () => {
  it.each([
    ['--url', ['--url', 'https://Store.example:8443/base'], {}],
    ['MSTORE_URL', [], { MSTORE_URL: 'https://store.example:8443' }],
  ])('prints a key and its DID document for %s', async (_, args, env) => {
    const { stdout } = await store(['gen-key', ...args], env);
    const [, secret = '', document = ''] = /^MSTORE_SECKEY=(z3u2\w+)\n(.*)$/s.exec(stdout) ?? [];
    const { publicKey } = SigningKey.parse(secret);
    expect(JSON.parse(document)).toEqual(didDocument('did:web:store.example%3A8443', publicKey));
  });

  it('prints another key each time', async () => {
    const [a, b] = await Promise.all([store(['gen-key']), store(['gen-key'])]);
    expect(a.stdout).not.toBe(b.stdout);
    expect(a.stderr).toContain('MSTORE_URL');
  });

  it('refuses an invalid URL', async () => {
    await expect(store(['gen-key', '--url', 'store.example'])).rejects.toMatchObject({ code: 2 });
  });
});

describe('isccd store hash-token', () => {
  const digest = createHash('sha256').update('a token').digest('hex');

  it('prints the SHA-256 of its argument', async () => {
    expect((await store(['hash-token', 'a token'])).stdout).toBe(`${digest}\n`);
  });

  it('prints the SHA-256 of standard input without its final line break', async () => {
    expect(await withInput(['hash-token'], 'a token\n')).toEqual({ stdout: `${digest}\n`, code: 0 });
  });

  it('says that a short token can be guessed, and not of a long one', async () => {
    expect((await store(['hash-token', 'a token'])).stderr).toContain('can be guessed');
    expect((await store(['hash-token', '0123456789abcdef0123'])).stderr).toBe('');
  });

  it('refuses an empty token', async () => {
    expect((await withInput(['hash-token'], '\n')).code).toBe(1);
  });
});
