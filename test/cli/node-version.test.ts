/** The command on other versions of Node.js, which come from npm packages (100 MB each, installed once). */
import path from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../support/command.js';
import { MAIN } from '../support/serve.js';
import { INSTALL_MAX_MS, npmTools } from '../support/set-up.js';

const PHOTO = path.resolve(import.meta.dirname, '../fixtures/codes/files/photo-q85_a.jpg');

async function node(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  return path.join(await npmTools(`${name}@${version}`), name, 'bin', 'node');
}

it(
  'is refused in one line by a Node.js that is too old',
  async () => {
    const { code, stdout, stderr } = await run(await node('18.20.8'), [MAIN, 'serve']);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: 'isccd: Node.js 20 or newer is needed; this is v18.20.8\n',
    });
  },
  INSTALL_MAX_MS,
);

it.each(['22.23.3', '24.21.0', '26.10.0'])(
  'makes the same code on Node.js %s',
  async (version) => {
    const [here, there] = await Promise.all(
      [process.execPath, await node(version)].map((program) => run(program, [MAIN, 'code', PHOTO])),
    );
    expect(there).toMatchObject({ code: 0, stderr: here?.stderr });
    expect(JSON.parse(there?.stdout ?? '').iscc).toBe(JSON.parse(here?.stdout ?? '').iscc);
  },
  INSTALL_MAX_MS,
);
