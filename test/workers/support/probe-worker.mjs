/**
 * A worker that tries what the sandbox forbids, in the place of a worker of files or of manifests. The input says what, as JSON;
 * the response is an object with `ok` or the error of each attempt. Without a sandbox the attempts succeed, so `secrets` must be
 * files of the test: their rights change.
 */
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { native } from '../../../dist/native.js';

/** Part of the names of the test's folders. The temporary folder of this process is another one. */
const TEST_FOLDER = '/isccd-sandbox-';

native.endWithParent();
process.on('message', (job) => void run(job));
process.send({ kind: 'ready', sandbox: native.sandboxState() });

async function run(job) {
  if (job.tasks === undefined) {
    const found = await probed(JSON.parse(readFileSync(job.path, 'utf8')), path.dirname(job.path));
    const refusal = { code: 'FFMPEG_MISSING', details: { reason: JSON.stringify(found) } };
    process.send({ kind: 'failed', message: 'probed', refusal });
    return;
  }
  const [{ bytes }] = job.tasks;
  const found = await probed(JSON.parse(Buffer.from(bytes).toString()));
  process.send({ kind: 'done', output: [{ kind: 'text', text: JSON.stringify(found) }] });
}

async function probed({ secrets = {}, folders = {}, port, socket }, workFolder) {
  const found = {};
  for (const file of Object.values(secrets))
    if (!file.includes(TEST_FOLDER)) throw new Error(`${file} is not a file of the test`);
  for (const [name, file] of Object.entries(secrets)) {
    found[`${name}: main thread`] = await attempt(() => readFileSync(file));
    found[`${name}: pool of threads`] = await attempt(() => readFile(file));
    found[`${name}: other thread`] = await attempt(() => inThread(file));
    found[`${name}: addon`] = await attempt(() => native.sumFile(file));
    found[`${name}: program`] = await attempt(() => program('cat', file));
    found[`${name}: write`] = await attempt(() => writeFileSync(file, readFileSync('/dev/null'), { flag: 'a' }));
    found[`${name}: rights`] = await attempt(() => chmodSync(file, 0o600));
    found[`${name}: move`] = await attempt(() => renameSync(file, file));
  }
  for (const [name, folder] of Object.entries(folders)) found[`${name}: list`] = await attempt(() => readdirSync(folder));
  found['environment of the service'] = await attempt(() => readFileSync(`/proc/${process.ppid}/environ`));
  found.TCP = await attempt(() => connected({ port, host: '127.0.0.1' }));
  found['TCP of a program'] = await attempt(() => program(process.execPath, '-e', CONNECT, String(port)));
  found['Unix socket'] = await attempt(() => connected({ path: socket }));
  found.UDP = await attempt(async () => {
    const udp = createSocket('udp4').bind(0, '127.0.0.1');
    await once(udp, 'listening').finally(() => udp.close());
  });
  found.variables = namesOfEnvironment();
  if (workFolder !== undefined)
    found['work folder'] = await attempt(() => writeFileSync(path.join(workFolder, 'probe'), 'x'));
  return found;
}

/** As the kernel has them from the start of this process. */
function namesOfEnvironment() {
  const entries = readFileSync('/proc/self/environ', 'latin1').split('\0');
  return entries.map((entry) => entry.split('=')[0]).filter(Boolean);
}

const CONNECT =
  "const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1');" +
  "socket.on('error', ({ code }) => { console.error(code); process.exit(1); }).on('connect', () => process.exit(0));";

async function attempt(act) {
  try {
    await act();
    return 'ok';
  } catch (error) {
    return reasonOf(error);
  }
}

/** Errors of the addon, and of a program, have the reason in their text. */
function reasonOf({ code, message }) {
  return /permission denied|EACCES/i.test(`${code} ${message}`) ? 'EACCES' : `${code} ${message}`;
}

async function inThread(file) {
  const code = `require('node:fs').readFileSync(${JSON.stringify(file)})`;
  const [status] = await once(new Worker(code, { eval: true }), 'exit');
  if (status !== 0) throw new Error('exit');
}

async function connected(to) {
  const socket = connect(to);
  await once(socket, 'connect');
  socket.destroy();
}

function program(...[name, ...args]) {
  const { status, stderr } = spawnSync(name, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
