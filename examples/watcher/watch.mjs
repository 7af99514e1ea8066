/**
 * Writes FILE.iscc.json next to each file of a folder, also of those that appear later. Usage: node watch.mjs FOLDER
 *
 * A file is coded once its size has been the same for a second, and again after each change. `isccd index add` accepts
 * the results.
 */
import { watch } from 'node:fs';
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CodesClient } from 'isccd/client';

const SETTLED_MS = 1000;
const RESULT = '.iscc.json';

const codes = new CodesClient(process.env.CODES_URL ?? 'http://127.0.0.1:8000');
const folder = path.resolve(process.argv[2] ?? '.');
/** Names of the files under way, and whether they have changed since. */
const underWay = new Map();

watch(folder, (_, name) => name && code(name));
for (const name of await readdir(folder)) code(name);
console.log(`watching ${folder}`);

async function code(name) {
  if (name.startsWith('.') || name.endsWith(RESULT)) return;
  const isRunning = underWay.has(name);
  underWay.set(name, true);
  if (isRunning) return;
  while (underWay.get(name)) {
    underWay.set(name, false);
    try {
      await codeFile(path.join(folder, name));
    } catch (error) {
      // The watcher goes on; the next change of the file tries again.
      if (error.code !== 'ENOENT') console.error(`${name}: ${error.message}`);
    }
  }
  underWay.delete(name);
}

async function codeFile(file) {
  const version = await settled(file);
  if (version === (await codedVersion(file))) return;
  const { iscc, units, mediatype } = await codes.createIscc(file);
  // Renamed once complete: readers never see half a file.
  const draft = path.join(folder, `.${path.basename(file)}${RESULT}`);
  const metadata = { file, mediatype, version };
  await writeFile(draft, `${JSON.stringify({ iscc_code: iscc, units, metadata })}\n`);
  await rename(draft, file + RESULT);
  console.log(`${path.basename(file)}  ${iscc}`);
}

/** The version of the file that its result is made from. */
async function codedVersion(file) {
  const text = readFile(file + RESULT, 'utf8');
  const result = await text.then(JSON.parse).catch(() => undefined);
  return result?.metadata?.version;
}

/** Waits until the file stops growing. Returns what changes with its content, also if an older file replaces it. */
async function settled(file) {
  for (let before = await versionOf(file); ; ) {
    await pause(SETTLED_MS);
    const after = await versionOf(file);
    if (after === before) return after;
    before = after;
  }
}

async function versionOf(file) {
  const { mtimeMs, size, ino } = await stat(file);
  return `${mtimeMs} ${size} ${ino}`;
}
