/** What the pictures show: running services, after `isccd demo` on the sample picture. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type AllServices, startAllServices } from '../../test/support/all-services.js';
import { MAIN } from '../../test/support/serve.js';
import { copy, original } from './picture.js';

const run = promisify(execFile);

export interface Stage {
  readonly url: AllServices['url'];
  readonly variables: AllServices['variables'];
  readonly folder: string;
  /** The sample picture, and a smaller version of it in another format. */
  readonly files: { readonly original: string; readonly copy: string };
  close(): Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const services = await startAllServices({ MSTORE_BY_CONTENT: '1' });
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-screenshots-'));
  const stage = {
    url: services.url,
    variables: services.variables,
    folder,
    files: { original: path.join(folder, 'lake.jpg'), copy: path.join(folder, 'from-the-web.webp') },
    close: async () => {
      await services.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await writeFile(stage.files.original, await original());
    await writeFile(stage.files.copy, await copy());
    await isccd(stage, 'demo', stage.files.original, '--here');
  } catch (error) {
    await stage.close();
    throw error;
  }
  return stage;
}

const OPERATOR = { name: 'olga', password: 'correct-Horse-7-battery' };
const MANIFESTS = path.resolve(import.meta.dirname, '../../test/fixtures/c2pa/manifests');

/** An account of the dashboard with all rights. The first call creates it. */
export async function operator(stage: Stage): Promise<typeof OPERATOR> {
  if ((await isccd(stage, 'store', 'account', 'list')).includes(OPERATOR.name)) return OPERATOR;
  const options = ['--role', 'admin', '--password-stdin'];
  await isccd(stage, 'store', 'account', 'add', OPERATOR.name, ...options, { input: OPERATOR.password });
  return OPERATOR;
}

/** Uploads manifests of the tests. */
export async function upload({ url }: Stage, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const body = await readFile(path.join(MANIFESTS, `${name}.c2pa`));
    const headers = { 'Content-Type': 'application/c2pa' };
    const response = await fetch(`${url.store}/v1/manifests`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${name}: ${await response.text()}`);
  }
}

async function isccd(stage: Stage, ...args: readonly (string | { input: string })[]): Promise<string> {
  const words = args.filter((word) => typeof word === 'string');
  const [input] = args.filter((word) => typeof word !== 'string');
  const running = run(process.execPath, [MAIN, ...words], {
    cwd: stage.folder,
    env: { ...process.env, ...stage.variables },
  });
  running.child.stdin?.end(input?.input);
  return (await running).stdout;
}
