/** `isccd code --check LIST` and `--tree DIR`: the codes of bytes, of files and of whole folders. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { composeCode, decodeCode } from '../../iscc/codec.js';
import type { FileSum } from '../../native.js';
import { readCodesConfig } from '../../platform/config/codes.js';
import { environment } from '../../platform/config/env.js';
import { printable } from '../../platform/printable.js';
import { headAndSumOf } from '../../services/codes/pipeline/sum.js';
import { type ListEntry, readCodeList } from '../batch/code-list.js';
import { folderSum } from '../batch/folder-sum.js';
import { argumentPlace, systemPath } from '../batch/place.js';
import { type LocalSource, outcomes } from '../batch/run.js';
import type { Source, Unreadable } from '../batch/source.js';
import { fileAt } from '../batch/walk.js';
import { CommandFailed, reason } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';

/** MainTypes of the codes of bytes. */
const [DATA, INSTANCE] = [3, 4];

/** Prints one code for all files of a folder, equal to that of `iscc-sum --tree`. */
export async function tree(folder: string): Promise<void> {
  const { files, sum } = await sumOfFolder(folder);
  const { units, datahash, filesize } = sum;
  const name = `${folder.replace(/[/\\]+$/, '')}/`;
  printJson({ path: name, iscc: composeCode(units, true), units, datahash, filesize, files });
}

/** @throws {CommandFailed} */
async function sumOfFolder(folder: string) {
  const place = argumentPlace(folder) ?? { path: folder };
  const found = await stat(systemPath(place)).catch((error: unknown) => {
    throw new CommandFailed(`${place.path}: ${reason(error)}`);
  });
  if (!found.isDirectory()) throw new CommandFailed(`${place.path} is not a folder`);
  const result = await folderSum(place).catch((error: unknown) => {
    throw new CommandFailed(`${place.path}: ${reason(error)}`);
  });
  if (result.files === 0) throw new CommandFailed(`${place.path} has no files`);
  return result;
}

/**
 * Prints a line for every entry of the list, as `sha256sum -c` does. Paths are relative to the working folder. Fails if a
 * file has changed or is missing.
 */
export async function check(list: string, jobs: number): Promise<void> {
  const entries = await readCodeList(list);
  if (entries.length === 0) throw new CommandFailed(`${list} has no codes`);
  const failed = { changed: 0, unreadable: 0 };
  const print = (name: string, text: string) => process.stdout.write(`${printable(name)}: ${text}\n`);
  const sources: (Source | Unreadable)[] = [];
  for (const { path: name } of entries)
    sources.push(name.endsWith('/') ? folderSource(name) : await fileAt(name));
  let at = 0;
  for await (const outcome of outcomes(sources, sumOf, { jobs, folder: temporaryFolder() })) {
    const entry = entries[at++] as ListEntry;
    if ('error' in outcome) {
      failed.unreadable += 1;
      print(entry.path, `FAILED open or read (${reason(outcome.error)})`);
    } else if (isSame(entry, outcome.result)) print(entry.path, 'OK');
    else {
      failed.changed += 1;
      print(entry.path, 'FAILED');
    }
  }
  const { changed, unreadable } = failed;
  if (changed + unreadable === 0) return;
  const parts = [`${changed} changed`, `${unreadable} not readable`];
  throw new CommandFailed(`${entries.length} checked, ${parts.join(', ')}`);
}

/** For links to names that are not text. */
function temporaryFolder(): string {
  const folder = path.join(os.tmpdir(), `isccd-check-${randomBytes(9).toString('hex')}`);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function folderSource(name: string): Source {
  const folder = name.replace(/\/+$/, '') || '/';
  return { path: name, filename: path.basename(folder), fetch: async () => ({ path: folder }) };
}

async function sumOf(file: LocalSource, source: Source): Promise<FileSum> {
  if (source.path.endsWith('/')) return (await sumOfFolder(file.path)).sum;
  return (await headAndSumOf(file.path, readCodesConfig(environment()).ioReadBytes)).sum;
}

/** Whether all Data- and Instance-Codes of the list are prefixes of those of the file. */
function isSame({ units, datahash }: ListEntry, sum: FileSum): boolean {
  if (datahash !== undefined && datahash !== sum.datahash) return false;
  const ofBytes = units.map((unit) => decodeCode(unit)).filter(({ main }) => main >= DATA);
  if (datahash === undefined && !ofBytes.some(({ main }) => main === INSTANCE)) return false;
  const found = sum.units.map((unit) => decodeCode(unit));
  return ofBytes.every(({ main, bits, body }) => {
    const bytes = found.find((unit) => unit.main === main)?.body.subarray(0, bits / 8);
    return bytes !== undefined && Buffer.compare(bytes, body) === 0;
  });
}
