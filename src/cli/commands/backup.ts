/** `isccd backup DIR`: makes a consistent copy of all data while the services run. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from '../../platform/config/variable.js';
import { present } from '../../platform/present.js';
import { generator } from '../../platform/version.js';
import { backupCodes } from '../../services/codes/backup.js';
import { backupSearch } from '../../services/search/backup.js';
import { backupStore } from '../../services/store/backup.js';
import {
  digestOf,
  type Manifest,
  manifestOf,
  type StoreEntry,
  writeManifest,
} from '../../storage/data/backup-manifest.js';
import { syncPath } from '../../storage/data/durable.js';
import { makeFolder } from '../../storage/data/folder.js';
import { type DataKind, FormatRefused, readFormat } from '../../storage/data/format.js';
import type { Copied, OnStep } from '../../storage/data/port.js';
import { configuredPlaces, DATABASE_NOTE, type DataPlace } from '../input/data-places.js';
import { CommandFailed, EXIT_CONFIGURATION, reason } from '../terminal/failure.js';
import { Interruption } from '../terminal/interrupt.js';
import { countsLine, StatusLine } from '../terminal/lines.js';

export async function backup(directory: string, options: { json?: boolean }): Promise<void> {
  const target = path.resolve(directory);
  const { places, environment, elsewhere, sharedIndexes } = await configuredPlaces();
  if (sharedIndexes !== undefined) process.stderr.write(DATABASE_NOTE);
  for (const note of elsewhere) process.stderr.write(note);
  if (places.length === 0)
    throw new CommandFailed(
      'nothing to back up: no service has data in the configured folders (isccd check config names them)',
    );
  await refuseNonEmpty(target);
  const draft = `${target}.${randomBytes(6).toString('hex')}.partial`;
  const stop = new AbortController();
  const remove = () => rm(draft, { recursive: true, force: true });
  let copying: Promise<unknown> = Promise.resolve();
  const interruption = new Interruption(async () => {
    stop.abort();
    // Nothing writes into the folder any more.
    await copying.catch(() => undefined);
    await remove();
  });
  try {
    makeFolder(draft);
    const line = new StatusLine(options.json);
    const making = copyAll(places, draft, { environment, line, signal: stop.signal });
    copying = making;
    const manifest = await making;
    await writeManifest(draft, manifest);
    await syncPath(draft);
    await rename(draft, target);
    await syncPath(path.dirname(target));
    print(target, manifest, options.json ?? false);
  } catch (error) {
    await interruption.over();
    await remove();
    if (error instanceof CommandFailed) throw error;
    const code = error instanceof FormatRefused ? EXIT_CONFIGURATION : 1;
    throw new CommandFailed(`backup failed: ${reason(error)}`, code);
  }
  await interruption.over();
}

interface CopyOptions {
  readonly environment: Environment;
  readonly line: StatusLine;
  readonly signal: AbortSignal;
}

/** Prevents mixing a backup with existing files. */
async function refuseNonEmpty(target: string): Promise<void> {
  const names = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new CommandFailed(`${target} can't be used: ${reason(error)}`);
  });
  if (names.length > 0)
    throw new CommandFailed(`${target} is not empty; a backup needs a new or empty folder`);
}

/**
 * The copy contains everything acknowledged before `startedAt`. The search is copied before the store, which repeats
 * missing index updates after a restore.
 */
async function copyAll(
  places: readonly DataPlace[],
  draft: string,
  { environment, line, signal }: CopyOptions,
): Promise<Manifest> {
  const startedAt = new Date().toISOString();
  const stores: Partial<Record<DataKind, StoreEntry>> = {};
  for (const place of places) {
    signal.throwIfAborted();
    await readFormat(place.kind, place.folder);
    let steps = 0;
    const onStep = () => {
      signal.throwIfAborted();
      steps += 1;
      line.show(`copying ${place.kind}: ${steps}`);
    };
    const target = path.join(draft, place.kind);
    await mkdir(target);
    const {
      counts,
      files,
      notes,
      problems = [],
      auditHead,
      logHead,
    } = await copyOne(place, target, { environment, onStep, signal });
    if (problems.length > 0) process.exitCode = 1;
    const digests = await Promise.all(files.map((file) => digestOf(place.kind, draft, file)));
    stores[place.kind] = {
      counts: { ...counts },
      files: digests.filter((entry) => entry !== undefined),
      notes: [...problems, ...notes],
      ...present({ auditHead, logHead }),
    };
  }
  line.clear();
  return manifestOf({ program: generator, startedAt, finishedAt: new Date().toISOString(), stores });
}

function copyOne(
  { kind, folder, databaseUrl, blobsS3 }: DataPlace,
  target: string,
  { environment, onStep, signal }: Pick<CopyOptions, 'environment' | 'signal'> & { readonly onStep: OnStep },
): Promise<Copied> {
  switch (kind) {
    case 'codes':
      return backupCodes(folder, target, onStep);
    case 'search':
      return backupSearch(folder, target, onStep, signal);
    case 'store':
      return backupStore({ dataDir: folder, url: databaseUrl, blobsS3, environment, signal }, target, onStep);
    default:
      return kind satisfies never;
  }
}

function print(target: string, manifest: Manifest, isJson: boolean): void {
  if (isJson) {
    process.stdout.write(`${JSON.stringify({ directory: target, ...manifest })}\n`);
    return;
  }
  for (const [kind, { counts, notes }] of Object.entries(manifest.stores)) {
    process.stdout.write(countsLine(kind, counts));
    for (const note of notes) process.stderr.write(`isccd: ${kind}: ${note}\n`);
  }
  process.stdout.write(`backup    ${target}\n`);
}
