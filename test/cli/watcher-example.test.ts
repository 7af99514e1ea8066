/** `examples/watcher`: every result is made from the file as it is now, also if it changes at a bad moment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { startCodes } from '../codes/support/server.js';

const WATCHER = path.resolve(import.meta.dirname, '../../examples/watcher/watch.mjs');
const text = (words: string) => `${words} that are long enough to be coded. `.repeat(20);
/** Several waits for a file to settle. */
const LONG_MS = 240_000;
const WAIT = { timeout: 50_000, interval: 50 };

/** A service in front of which responses wait for {@link Gate.open}. */
class Gate {
  /** Names of the uploaded files. */
  readonly uploads: string[] = [];
  open: () => void = () => {};
  #opened = Promise.resolve();

  /** From now on, responses wait. */
  shut(): void {
    this.#opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  async start(): Promise<string> {
    const service = await startCodes();
    const server = createServer((incoming, response) => {
      const { method, headers, url = '/' } = incoming;
      const outgoing = request(new URL(url, service.url), { method, headers }, (answer: IncomingMessage) => {
        const name = new URL(url, service.url).searchParams.get('filename');
        if (name !== null) this.uploads.push(name);
        void this.#opened.then(() => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
      });
      outgoing.on('error', (error) => response.destroy(error));
      incoming.pipe(outgoing);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(async () => {
      this.open();
      server.closeAllConnections();
      server.close();
      await service.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

/** Starts the watcher on a new folder. */
async function watching() {
  const folder = await temporaryFolder();
  const gate = new Gate();
  const env = { ...process.env, CODES_URL: await gate.start() };
  const watcher = spawn(process.execPath, [WATCHER, folder], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    const ended = once(watcher, 'exit');
    watcher.kill();
    await ended;
  });
  await once(watcher.stdout, 'data');
  /** Waits for a result that is not `former`. */
  const result = (name: string, former?: string) =>
    vi.waitFor(async () => {
      const { iscc_code: code } = JSON.parse(await readFile(path.join(folder, `${name}.iscc.json`), 'utf8'));
      expect(code).not.toBe(former);
      return code as string;
    }, WAIT);
  const write = (name: string, content: string) => writeFile(path.join(folder, name), content);
  return { folder, gate, result, write };
}

it('codes a file again that changed while it was coded', { timeout: LONG_MS }, async () => {
  const { gate, result, write } = await watching();
  await write('new.txt', text('New words'));
  const wanted = await result('new.txt');
  gate.shut();
  await write('a.txt', text('Old words'));
  await vi.waitFor(() => expect(gate.uploads).toContain('a.txt'), WAIT);
  await write('a.txt', text('New words'));
  // The watcher has noticed the change of `a.txt` when it codes a file that came after it.
  await write('b.txt', text('Other words'));
  await vi.waitFor(() => expect(gate.uploads).toContain('b.txt'), WAIT);
  gate.open();
  const units = async (name: string) => (await result(name)).slice(-20);
  await vi.waitFor(async () => expect(await units('a.txt')).toBe(wanted.slice(-20)), WAIT);
});

it('codes a file again that an older one replaces', { timeout: LONG_MS }, async () => {
  const { folder, result, write } = await watching();
  await write('a.txt', text('Old words'));
  const former = await result('a.txt');
  const older = path.join(await temporaryFolder(), 'older.txt');
  await writeFile(older, text('New words'));
  await utimes(older, 1_000_000_000, 1_000_000_000);
  await rename(older, path.join(folder, 'a.txt'));
  expect(await result('a.txt', former)).toMatch(/^ISCC:K/);
});
