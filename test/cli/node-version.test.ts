/** The built command on other versions of Node.js. `npm run test:nodes` runs all tests on them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NODE_TOO_OLD, NODE_VERSIONS, nodeProgram } from '../../scripts/node-versions.mjs';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { servicePorts } from '../support/all-services.js';
import { run } from '../support/command.js';
import { MAIN, serve } from '../support/serve.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';

const PHOTO = path.resolve(import.meta.dirname, '../fixtures/codes/files/photo-q85_a.jpg');

it(
  'is refused in one line by a Node.js that is too old',
  async () => {
    const { code, stdout, stderr } = await run(nodeProgram(NODE_TOO_OLD), [MAIN, 'serve']);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: `isccd: Node.js 20 or newer is needed; this is v${NODE_TOO_OLD}\n`,
    });
  },
  INSTALL_MAX_MS,
);

it(
  'as a library, says the same to a Node.js that is too old',
  async () => {
    const library = path.resolve(MAIN, '../../library/index.js');
    const { code, stderr } = await run(nodeProgram(NODE_TOO_OLD), [
      '-e',
      `import(${JSON.stringify(library)})`,
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(`Error: isccd: Node.js 20 or newer is needed; this is v${NODE_TOO_OLD}\n`);
  },
  INSTALL_MAX_MS,
);

it.each(NODE_VERSIONS)(
  'makes the same code on Node.js %s',
  async (version) => {
    const [here, there] = await Promise.all(
      [process.execPath, nodeProgram(version)].map((program) => run(program, [MAIN, 'code', PHOTO])),
    );
    expect(there).toMatchObject({ code: 0, stderr: here?.stderr });
    expect(JSON.parse(there?.stdout ?? '').iscc).toBe(JSON.parse(here?.stdout ?? '').iscc);
  },
  INSTALL_MAX_MS,
);

it.each(NODE_VERSIONS)(
  'all services run on Node.js %s, without a warning',
  async (version) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-node-'));
    const ports = await servicePorts();
    // Without them, the store warns.
    const store = { APP_SECRET_KEY: 'k'.repeat(50), MSTORE_URL: `http://127.0.0.1:${ports.MSTORE_PORT}` };
    const env = { ...ports, ...store, ISCCD_DATA_DIR: folder };
    const server = await serve(SERVICE_NAMES, { cwd: folder, env, node: nodeProgram(version) });
    onTestFinished(async () => {
      await server.stop();
      await rm(folder, { recursive: true });
    });
    const headers = { 'X-Upload-Filename': btoa('photo.jpg') };
    const body = await readFile(PHOTO);
    const response = await fetch(`${server.urls.codes}/api/v1/iscc`, { method: 'POST', headers, body });
    expect(await response.json()).toMatchObject({ iscc: expect.stringMatching(/^ISCC:KE/) });
    for (const name of SERVICE_NAMES) expect((await fetch(`${server.urls[name]}/healthz`)).status).toBe(200);
    expect(server.output()).not.toMatch(/"level":[456]0|Warning/);
  },
  INSTALL_MAX_MS,
);

it('CI runs all tests on the same versions', async () => {
  const workflow = await readFile(
    path.resolve(import.meta.dirname, '../../.github/workflows/ci.yml'),
    'utf8',
  );
  const [, majors = ''] = /node: \[([\d, ]+)\]/.exec(workflow) ?? [];
  expect(majors.split(', ')).toEqual(['20', ...NODE_VERSIONS.map((version) => version.split('.')[0])]);
});
