/** Adds to a workspace what other programs and other workspaces know: records, and side-cars of iscc-sdk and kmapper. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { decomposeCode } from '../../iscc/codec.js';
import { titleFromFilename } from '../../iscc/filename.js';
import { type IsccResult, isccResult } from '../../services/codes/result.js';
import { folderEntries } from '../batch/folder-entries.js';
import type { Place } from '../batch/place.js';
import { CommandFailed, reason } from '../terminal/failure.js';
import { silentUnits } from './pass.js';
import { type Finding, RECORDS_FILE, type ScanRecords } from './records.js';

const SIDECAR_END = '.iscc.json';

/**
 * Imports a workspace, or all side-cars below a folder. Locations are below `label`; without one, they are the absolute
 * paths of the files, and those that the other workspace has.
 *
 * @returns number of files
 * @throws {CommandFailed} if the folder has neither
 */
export async function importInto(
  records: ScanRecords,
  folder: string,
  label: string | undefined,
): Promise<number> {
  const file = path.join(folder, RECORDS_FILE);
  if ((await stat(file).catch(() => undefined)) !== undefined) return records.import(file, label ?? '');
  let count = 0;
  for await (const sidecar of sideCarsBelow(folder)) {
    const finding = await findingOf(sidecar);
    if (finding === undefined) continue;
    const location = locationOf(sidecar, finding.source, folder, label);
    records.addFinding(location, location, finding);
    count += 1;
  }
  if (count === 0)
    throw new CommandFailed(`${folder} has neither ${RECORDS_FILE} nor side-cars (*${SIDECAR_END})`);
  return count;
}

async function* sideCarsBelow(folder: string): AsyncGenerator<string> {
  const folders: Place[] = [{ path: folder }];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const entries = await folderEntries(next).catch((error: unknown) => {
      throw new CommandFailed(`${folder}: ${reason(error)}`);
    });
    for (const entry of entries) {
      if (entry.dirent.isDirectory()) folders.push(entry);
      else if (entry.path.endsWith(SIDECAR_END)) yield entry.path;
    }
  }
}

/** kmapper's side-cars are in a folder of their own, and say where their files were. */
interface Source {
  readonly batch?: string;
  readonly path?: string;
}

type Imported = Finding & { readonly source: Source };

async function findingOf(sidecar: string): Promise<Imported | undefined> {
  const members = await membersOf(sidecar);
  if (typeof members?.iscc !== 'string' || typeof members.datahash !== 'string') return undefined;
  const filename = String(members.filename ?? path.basename(sidecar).slice(0, -SIDECAR_END.length));
  const given = Array.isArray(members.units) ? members.units.map(String) : [];
  const units = (given.length > 0 ? given : decomposeCode(members.iscc)).map((unit) =>
    unit.startsWith('ISCC:') ? unit : `ISCC:${unit}`,
  );
  const result = isccResult({
    ...(members as unknown as IsccResult),
    filename,
    filesize: Number(members.filesize ?? 0),
    mediatype: String(members.mediatype ?? 'application/octet-stream'),
    units,
  });
  const { _batch: batch, _source_path: source, _modified: modified } = members;
  const file = await stat(sidecar.slice(0, -SIDECAR_END.length)).catch(() => undefined);
  const made = await stat(sidecar);
  const modifiedMs = typeof modified === 'string' ? Date.parse(modified) : (file?.mtimeMs ?? made.mtimeMs);
  return {
    result,
    titled: typeof members.name === 'string' && members.name !== titleFromFilename(filename),
    silent: silentUnits(units, members.characters === 0),
    modifiedMs,
    scannedMs: made.mtimeMs,
    source: {
      ...(typeof batch === 'string' && { batch }),
      ...(typeof source === 'string' && { path: source }),
    },
  };
}

async function membersOf(file: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    // Another program's file.
    return undefined;
  }
}

function locationOf(sidecar: string, source: Source, folder: string, label: string | undefined): string {
  if (source.path !== undefined)
    return [label, source.batch, source.path.replaceAll('\\', '/')]
      .filter((part) => part !== undefined)
      .join('/');
  const file = sidecar.slice(0, -SIDECAR_END.length);
  if (label === undefined) return path.resolve(file);
  return `${label}/${path.relative(folder, file).replaceAll(path.sep, '/')}`;
}
