/**
 * Writes FILE.iscc.json next to each file of a folder, also of those that appear later. Usage: node watch.mjs FOLDER
 *
 * A file is coded once its size has been the same for a second. `isccd index add` accepts the results.
 */
import { watch } from 'node:fs';
import { readdir, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CodesClient } from 'isccd/client';

const SETTLED_MS = 1000;
const RESULT = '.iscc.json';

const codes = new CodesClient(process.env.CODES_URL ?? 'http://127.0.0.1:8000');
const folder = path.resolve(process.argv[2] ?? '.');
const underWay = new Set();

watch(folder, (_, name) => name && code(name));
for (const name of await readdir(folder)) code(name);
console.log(`watching ${folder}`);

async function code(name) {
  if (name.startsWith('.') || name.endsWith(RESULT) || underWay.has(name)) return;
  underWay.add(name);
  try {
    await codeFile(path.join(folder, name));
  } catch (error) {
    // The watcher goes on; the next change of the file tries again.
    if (error.code !== 'ENOENT') console.error(`${name}: ${error.message}`);
  } finally {
    underWay.delete(name);
  }
}

async function codeFile(file) {
  const { mtimeMs } = await settled(file);
  const result = await stat(file + RESULT).catch(() => undefined);
  if (result !== undefined && result.mtimeMs >= mtimeMs) return;
  const { iscc, units, mediatype } = await codes.createIscc(file);
  // Renamed once complete: readers never see half a file.
  const draft = path.join(folder, `.${path.basename(file)}${RESULT}`);
  await writeFile(draft, `${JSON.stringify({ iscc_code: iscc, units, metadata: { file, mediatype } })}\n`);
  await rename(draft, file + RESULT);
  console.log(`${path.basename(file)}  ${iscc}`);
}

/** Waits until the file stops growing. */
async function settled(file) {
  for (let before = await stat(file); ; ) {
    await pause(SETTLED_MS);
    const after = await stat(file);
    if (after.size === before.size && after.mtimeMs === before.mtimeMs) return after;
    before = after;
  }
}
