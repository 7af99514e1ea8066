/** Runs each program of `examples` against the services. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { freePort, Running } from '../deploy/support/running.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { run } from '../support/command.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLES = path.join(ROOT, 'examples');
const PHOTO = path.join(ROOT, 'test/fixtures/codes/files/photo-q85_a.jpg');
const WAIT_MS_MAX = 50_000;

let services: AllServices;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-examples-'));
  services = await startAllServices({ CODEWEB_NUM_PROXIES: '1', RESOLVER_NUM_PROXIES: '1' });
  env = { CODES_URL: services.url.codes, SEARCH_URL: services.url.search };
});
afterAll(async () => {
  await services.stop();
  await rm(folder, { recursive: true, force: true });
});

it('curl prints the code', async () => {
  const { code, stdout, stderr } = await run('sh', [path.join(EXAMPLES, 'curl/code.sh'), PHOTO], { env });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^ISCC:K[A-Z2-7]{40,}\n$/);
});

it.each([
  ['Node.js', process.execPath, 'node/find.mjs'],
  ['Python', 'python3', 'python/find.py'],
])('%s finds a file, also when it runs again', async (_, program, file) => {
  for (let turn = 0; turn < 2; turn += 1) {
    const { code, stdout, stderr } = await run(program, [path.join(EXAMPLES, file), PHOTO, PHOTO], { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/photo-q85_a\.jpg {2}similarity [01]\.\d\d\n$/);
  }
});

it('the watcher codes files that are there, that appear, and that change', async () => {
  await copyFile(PHOTO, path.join(folder, 'first.jpg'));
  const watcher = spawn(process.execPath, [path.join(EXAMPLES, 'watcher/watch.mjs'), folder], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    const ended = once(watcher, 'exit');
    watcher.kill();
    await ended;
  });
  const result = (name: string) =>
    vi.waitFor(
      async () =>
        JSON.parse(await readFile(path.join(folder, `${name}.iscc.json`), 'utf8')).iscc_code as string,
      WAIT_MS_MAX,
    );
  const photo = await result('first.jpg');
  expect(photo).toMatch(/^ISCC:K/);
  await writeFile(path.join(folder, 'note.txt'), 'A text that is long enough to be coded. '.repeat(20));
  const note = await result('note.txt');
  await writeFile(path.join(folder, 'note.txt'), 'Another text, which gets a code of its own. '.repeat(20));
  await vi.waitFor(async () => expect(await result('note.txt')).not.toBe(note), WAIT_MS_MAX);
});

it(
  'the gateway forwards uploads and queries, and nothing else',
  async () => {
    const nginx = debianProgram(['nginx', '/usr/sbin/nginx'], 'nginx-light');
    const port = await freePort();
    const running = new Running();
    onTestFinished(() => running.stop());
    const text = (await readFile(path.join(EXAMPLES, 'gateway/nginx.conf'), 'utf8'))
      .replace('127.0.0.1:8000', new URL(services.url.codes).host)
      .replace('127.0.0.1:8030', new URL(services.url.resolver).host)
      .replace('listen 8080', `listen 127.0.0.1:${port}`)
      .replace(
        'http {',
        `pid ${folder}/nginx.pid;\nhttp {\naccess_log off;\nclient_body_temp_path ${folder}/body;\n`,
      )
      .replace('events {}', 'daemon off;\nmaster_process off;\nevents {}');
    const file = path.join(folder, 'nginx.conf');
    await writeFile(file, text);
    running.start(nginx, ['-c', file, '-p', folder, '-e', 'stderr'], {});
    const gateway = `http://127.0.0.1:${port}`;
    await running.answers(`${gateway}/v1/services/status`);
    const uploaded = await fetch(`${gateway}/api/v1/iscc`, {
      method: 'POST',
      headers: { 'X-Upload-Filename': Buffer.from('photo.jpg').toString('base64') },
      body: await readFile(PHOTO),
    });
    expect(uploaded.status).toBe(201);
    for (const target of ['/indexes', '/admin/', '/metrics', '/'])
      expect((await fetch(gateway + target)).status).toBe(404);
  },
  INSTALL_MAX_MS,
);
