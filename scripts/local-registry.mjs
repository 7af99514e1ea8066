/** A package registry on this machine for trial releases: verdaccio, installed once into `.setup/programs`. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt, exists, root, run } from './lib.mjs';

/** The last releases need Node.js 22. */
const VERDACCIO = '6.5.2';
const START_MS_MAX = 60_000;

/** Starts a registry with its data in `folder`. It serves packages that it does not have from npm's usual registry. */
export async function startRegistry(folder) {
  const tool = installVerdaccio();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const upstream = attempt('npm', ['config', 'get', 'registry']).stdout.trim();
  const config = path.join(folder, 'verdaccio.json');
  const rule = { access: '$all', publish: '$all', unpublish: '$all' };
  const ours = ['isccd', 'isccd-client', 'isccd-wasm', '@isccd/*'].map((name) => [name, rule]);
  const packages = { ...Object.fromEntries(ours), '**': { access: '$all', proxy: 'upstream' } };
  const settings = {
    storage: path.join(folder, 'storage'),
    uplinks: { upstream: { url: upstream, cache: true, maxage: '30m' } },
    packages,
    max_body_size: '200mb',
    log: { type: 'stdout', level: 'error' },
    auth: { htpasswd: { file: path.join(folder, 'htpasswd') } },
    web: { enable: false },
  };
  writeFileSync(config, JSON.stringify(settings));
  const child = spawn(process.execPath, [tool, '--listen', `127.0.0.1:${port}`, '--config', config], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const isUp = () =>
    fetch(`${url}-/ping`)
      .then((response) => response.ok)
      .catch(() => false);
  const deadline = Date.now() + START_MS_MAX;
  while (!(await isUp())) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error('the local registry does not start');
    await sleep(200);
  }
  return { url, stop: () => child.kill() };
}

function installVerdaccio() {
  const folder = path.join(root, '.setup', 'programs', `verdaccio-${VERDACCIO}`);
  const main = path.join(folder, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  if (exists(main)) return main;
  mkdirSync(folder, { recursive: true });
  // It asks for node-fetch by a tag that mirrors may not carry.
  const manifest = {
    private: true,
    dependencies: { verdaccio: VERDACCIO },
    overrides: { 'node-fetch': '2.7.0' },
  };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  run('npm', ['install', ...quiet], { cwd: folder });
  return main;
}

/** Below the ports of outgoing connections, and apart from those that tests choose. */
const FIRST_PORT = 22_600;
const PORTS = 2_400;

/**
 * A free port, for a program that needs to know it before it starts. An outgoing connection can't take it meanwhile, as it
 * could one that the system chooses.
 */
export async function freePort() {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const server = net.createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
