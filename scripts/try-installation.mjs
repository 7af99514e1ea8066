/** Installs isccd from a registry as a user does, starts it, and makes a code. Fails if anything does not work. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt, root } from './lib.mjs';
import { NODE_OLDEST, NODE_VERSIONS, nodeProgram } from './node-versions.mjs';
import { TERMINALS, tryOnTerminal } from './terminal-table.mjs';
import { typeProblems } from './try-types.mjs';

const PHOTO = path.join(root, 'test', 'fixtures', 'codes', 'files', 'photo-q85_a.jpg');
const isWindows = process.platform === 'win32';
/** Of these, the binaries of uWebSockets.js for four versions of Node.js are 28, and the module for browsers is 4. */
const SERVER_MB_MAX = 184;
// With the form for browsers.
const CLIENT_MB_MAX = 1.5;
const START_MS_MAX = 60_000;
/** All that a user has, except on Windows: no compiler, no Rust, no Python. */
const PROGRAMS = [
  'node',
  'npm',
  'npx',
  'sh',
  'env',
  'uname',
  'dirname',
  'readlink',
  'sed',
  'ffmpeg',
  'ffprobe',
  'perl',
  // For the trial on terminals.
  'script',
  'stty',
];
/** Programs on Windows do not run without these. */
const WINDOWS_VARIABLES = [
  'SystemRoot',
  'SystemDrive',
  'ComSpec',
  'PATHEXT',
  'TEMP',
  'TMP',
  'APPDATA',
  'LOCALAPPDATA',
];

export async function tryInstallation({ folder, registry, version, freePort }) {
  const env = {
    ...windowsVariables(),
    PATH: isWindows ? systemPath() : onlyPrograms(path.join(folder, 'bin')),
    HOME: folder,
    NODE_ENV: 'production',
    npm_config_registry: registry,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_cache: path.join(folder, 'cache'),
    ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
  };
  const server = install(path.join(folder, 'server'), `isccd@${version}`, env, SERVER_MB_MAX);
  const client = install(path.join(folder, 'client'), `isccd-client@${version}`, env, CLIENT_MB_MAX);
  await serveAndCode({ server, client, env, port: await freePort() });
  const problems = typeProblems({
    folder: path.join(folder, 'types'),
    modules: path.join(server, 'node_modules'),
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  console.log('isccd: types: the examples of the documentation compile');
  if (process.platform === 'linux') await onTerminals(server, env);
}

/** Each kind of terminal, and each version of Node.js. Not all combinations: they have nothing to do with each other. */
async function onTerminals(server, env) {
  const main = path.join(server, 'node_modules', 'isccd', 'dist', 'cli', 'main.js');
  const kinds = Object.keys(TERMINALS);
  const runs = [
    ...kinds.map((terminal) => ({ node: process.execPath, terminal })),
    ...otherNodes().map((node) => ({ node, terminal: 'plain' })),
  ];
  for (const { node, terminal } of runs) {
    const faults = await tryOnTerminal([node, main], { terminal, env });
    const { stdout: version } = attempt(node, ['--version']);
    if (faults.length > 0) throw new Error(`on Node.js ${version}${faults.join('\n')}`);
    console.log(`isccd: every command works on a terminal (${terminal}) with Node.js ${version.trim()}`);
  }
}

/** Programs of the versions that work, except this one. Alpine has none: their packages need glibc. */
function otherNodes() {
  if (process.report.getReport().header.glibcVersionRuntime === undefined) return [];
  const majorOf = (version) => version.split('.')[0];
  const others = [NODE_OLDEST, ...NODE_VERSIONS].filter(
    (version) => majorOf(version) !== majorOf(process.versions.node),
  );
  return others.map(nodeProgram);
}

/** Links to programs are not programs on Windows, so this is a PATH of Node.js and the system. */
function systemPath() {
  return [path.dirname(process.execPath), path.join(process.env.SystemRoot, 'System32')].join(path.delimiter);
}

function windowsVariables() {
  const present = WINDOWS_VARIABLES.filter((name) => isWindows && process.env[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, process.env[name]]));
}

/** A folder with links to these programs only; the result is a PATH. */
function onlyPrograms(folder) {
  mkdirSync(folder);
  for (const name of PROGRAMS) {
    const found = (process.env.PATH ?? '')
      .split(path.delimiter)
      .map((place) => path.join(place, name))
      .find((file) => statSync(file, { throwIfNoEntry: false }));
    if (found !== undefined) symlinkSync(found, path.join(folder, name));
  }
  return folder;
}

function install(folder, spec, env, megabytesMax) {
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  const started = performance.now();
  const { status, stderr } = attempt('npm', ['install', '--loglevel=error', spec], { cwd: folder, env });
  if (status !== 0) throw new Error(`npm install ${spec} failed:\n${stderr}`);
  const megabytes = bytesOf(path.join(folder, 'node_modules')) / 1e6;
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`isccd: npm install ${spec}: ${megabytes.toFixed(1)} MB, ${seconds} s`);
  if (megabytes > megabytesMax) throw new Error(`${spec} installs more than ${megabytesMax} MB`);
  return folder;
}

function bytesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

async function serveAndCode({ server, client, env, port }) {
  const url = `http://127.0.0.1:${port}`;
  // A script on Windows, whose end would not end the server.
  const main = path.join(server, 'node_modules', 'isccd', 'dist', 'cli', 'main.js');
  const [program, args] = isWindows
    ? [process.execPath, [main, 'serve', 'codes']]
    : [path.join(server, 'node_modules', '.bin', 'isccd'), ['serve', 'codes']];
  const child = spawn(program, args, {
    cwd: server,
    env: { ...env, CODEWEB_PORT: String(port), ISCCD_DATA_DIR: path.join(server, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  try {
    const started = performance.now();
    const isUp = () =>
      fetch(`${url}/healthz`)
        .then((response) => response.ok)
        .catch(() => false);
    while (!(await isUp())) {
      if (child.exitCode !== null || performance.now() - started > START_MS_MAX)
        throw new Error(`isccd does not start:\n${output}`);
      await sleep(100);
    }
    console.log(`isccd: serve: listens after ${((performance.now() - started) / 1000).toFixed(1)} s`);
    const byClient = codeByClient(client, url, env);
    const byCommand = codeByCommand(server, env);
    if (byClient !== byCommand) throw new Error(`the client got ${byClient}, the command ${byCommand}`);
    console.log(`isccd: code by client and command: ${byClient}`);
  } finally {
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
  }
}

function codeByClient(folder, url, env) {
  const program = `import { CodesClient } from 'isccd-client';
const { iscc } = await new CodesClient('${url}').createIscc(${JSON.stringify(PHOTO)});
console.log(iscc);
`;
  writeFileSync(path.join(folder, 'code.js'), program);
  const { status, stdout, stderr } = attempt('node', ['code.js'], { cwd: folder, env });
  if (status !== 0) throw new Error(`the client failed:\n${stderr}`);
  return stdout.trim();
}

function codeByCommand(folder, env) {
  const { status, stdout, stderr } = attempt('npx', ['isccd', 'code', PHOTO], { cwd: folder, env });
  if (status !== 0) throw new Error(`the command failed:\n${stderr}`);
  return JSON.parse(stdout).iscc;
}
