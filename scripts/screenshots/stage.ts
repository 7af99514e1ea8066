/** What the pictures show: running services, after `isccd demo` on the sample picture. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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
  const services = await startAllServices();
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
    await isccd(stage, 'demo', stage.files.original);
  } catch (error) {
    await stage.close();
    throw error;
  }
  return stage;
}

/** Creates an account for the dashboard. */
export async function addOperator(stage: Stage): Promise<{ name: string; password: string }> {
  const operator = { name: 'olga', password: 'correct-Horse-7-battery' };
  await isccd(stage, 'store', 'account', 'add', operator.name, '--password-stdin', {
    input: operator.password,
  });
  return operator;
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
