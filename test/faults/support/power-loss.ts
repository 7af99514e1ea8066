/** Power losses, simulated: what was synced survives, and any part of what was written since. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import type { Random } from '../../support/torture.js';
import { build } from './preload.js';
import { type Contents, SimulatedFile } from './simulated-file.js';

const HEADER_BYTES = 32;
const KINDS = [
  '',
  'write',
  'durable',
  'sync',
  'truncate',
  'create',
  'mkdir',
  'link',
  'rename',
  'remove',
] as const;
const NAMED: ReadonlySet<string> = new Set(['create', 'mkdir', 'link', 'rename', 'remove']);
/** Locks and maps, which a start creates again. Maps are not recorded. */
const ONLY_WHILE_RUNNING = /(?:lock\.mdb|\.lock|-shm)$/;

/** A call of the recorded process, see `record-writes.c`. */
export interface WriteRecord {
  /** `durable`: the last write of the file has reached the disk; `sync`: all writes, or all names of a folder, have. */
  readonly kind: Exclude<(typeof KINDS)[number], ''>;
  readonly inode: bigint;
  /** Of a write; the length of a truncation. */
  readonly offset: number;
  /** Of a write; the paths of a change of names. */
  readonly bytes: Buffer;
  /** As `process.hrtime.bigint()` returns it, in ns. */
  readonly time: bigint;
}

/**
 * Variables under which a process records what it writes below the folder `root`, which exists, into `log`.
 *
 * @param folder of the compiled library
 */
export function recordingTo(log: string, root: string, folder: string): Record<string, string> {
  return { LD_PRELOAD: build('record-writes.c', folder), WRITE_LOG: log, WRITE_ROOT: root };
}

/** The records, in the order of the calls. A process that was killed may leave the last one incomplete. */
export async function recorded(log: string): Promise<readonly WriteRecord[]> {
  const all = await readFile(log);
  const records: WriteRecord[] = [];
  for (let at = 0; at + HEADER_BYTES <= all.length; ) {
    const kind = KINDS[all.readUInt32LE(at)];
    const start = at + HEADER_BYTES;
    const end = start + all.readUInt32LE(at + 4);
    if (kind === undefined || kind === '') throw new Error(`not a record: ${path.basename(log)} at ${at}`);
    if (end > all.length) break;
    const inode = all.readBigUInt64LE(at + 8);
    const offset = Number(all.readBigUInt64LE(at + 16));
    records.push({
      kind,
      inode,
      offset,
      bytes: all.subarray(start, end),
      time: all.readBigUInt64LE(at + 24),
    });
    at = end;
  }
  return records;
}

/**
 * How a disk keeps names. `posix`: a name is durable after a sync of its folder. `journal`: each sync makes all earlier
 * changes of names durable, as ext4, XFS and Btrfs do. `careless`: no sync makes anything durable.
 */
export type Names = 'posix' | 'journal' | 'careless';

interface Folder {
  readonly names: Map<string, Entry>;
  readonly durable: Map<string, Entry>;
  /** Changes since the last sync; without an entry, the name was removed. */
  pending: { readonly name: string; readonly entry: Entry | undefined }[];
}
type Entry = Folder | SimulatedFile;

const isFolder = (entry: Entry): entry is Folder => !(entry instanceof SimulatedFile);

/** A disk with one folder, empty at first, to which records are applied. */
export class Disk {
  readonly #root = newFolder();
  readonly #folders = new Set([this.#root]);
  readonly #entries = new Map<bigint, Entry>();
  readonly #mode: Names;

  constructor(mode: Names) {
    this.#mode = mode;
  }

  apply({ kind, inode, offset, bytes }: WriteRecord): void {
    const entry = this.#entries.get(inode);
    const [from, to] = bytes.length > 0 && NAMED.has(kind) ? pathsOf(bytes) : [];
    switch (kind) {
      case 'write':
        if (entry instanceof SimulatedFile) entry.write(offset, bytes);
        break;
      case 'truncate':
        if (entry instanceof SimulatedFile) entry.truncate(offset);
        break;
      case 'durable':
      case 'sync':
        // Only the root exists before the recording.
        this.#synced(entry ?? this.#root, kind);
        break;
      case 'create':
        this.#add(inode, from, new SimulatedFile());
        break;
      case 'mkdir':
        this.#add(inode, from, newFolder());
        break;
      case 'link':
        this.#name(to, entry);
        break;
      case 'rename':
        this.#name(to, entry);
        this.#name(from, undefined);
        break;
      case 'remove':
        this.#name(from, undefined);
        break;
      default:
        kind satisfies never;
    }
  }

  /** Writes the files that a power loss now would leave. `random` decides which unsynced changes survive. */
  async writeAfterLoss(folder: string, random: Random): Promise<void> {
    await writeFolder(folder, this.#root, {
      names: ({ durable, pending }) => {
        const names = new Map(durable);
        // The changes of a folder reach the disk in their order.
        for (const change of pending.slice(0, random.below(pending.length + 1))) rename(names, change);
        return names;
      },
      bytes: (file) => file.afterLoss(random),
    });
  }

  /** Compares the disk with a folder that the recorded process left: the recording is complete. */
  async expectEqual(folder: string): Promise<void> {
    const found = new Map<string, string>();
    const wanted = new Map<string, string>();
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isFile() && !ONLY_WHILE_RUNNING.test(file))
        found.set(path.relative(folder, file), digest(await readFile(file)));
    }
    const visit = (place: string, { names }: Folder) => {
      for (const [name, entry] of names) {
        const below = path.join(place, name);
        if (isFolder(entry)) visit(below, entry);
        else if (!ONLY_WHILE_RUNNING.test(name)) wanted.set(below, digest(entry.contents));
      }
    };
    visit('', this.#root);
    expect(Object.fromEntries([...wanted].sort())).toEqual(Object.fromEntries([...found].sort()));
  }

  #add(inode: bigint, place: string | undefined, entry: Entry): void {
    if (isFolder(entry)) this.#folders.add(entry);
    this.#entries.set(inode, entry);
    this.#name(place, entry);
  }

  #synced(entry: Entry, kind: 'durable' | 'sync'): void {
    if (this.#mode === 'careless') return;
    if (entry instanceof SimulatedFile) entry.sync(kind);
    const folders = this.#mode === 'journal' ? this.#folders : [];
    for (const folder of isFolder(entry) ? [...folders, entry] : folders) {
      for (const change of folder.pending) rename(folder.durable, change);
      folder.pending = [];
    }
  }

  #name(place: string | undefined, entry: Entry | undefined): void {
    const parts = (place ?? '').split('/').filter((part) => part !== '');
    const name = parts.pop();
    let folder: Entry | undefined = this.#root;
    for (const part of parts) folder = folder && isFolder(folder) ? folder.names.get(part) : undefined;
    if (name === undefined || folder === undefined || !isFolder(folder))
      throw new Error(`no folder for ${place}`);
    rename(folder.names, { name, entry });
    folder.pending.push({ name, entry });
  }
}

function newFolder(): Folder {
  return { names: new Map(), durable: new Map(), pending: [] };
}

function rename(names: Map<string, Entry>, { name, entry }: Folder['pending'][number]): void {
  if (entry === undefined) names.delete(name);
  else names.set(name, entry);
}

function pathsOf(bytes: Buffer): string[] {
  return bytes.toString().split('\0');
}

/** Length and a checksum, which a failure can show. */
function digest(bytes: Contents): string {
  let sum = 0;
  for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) | 0;
  return `${bytes.length} bytes, ${sum}`;
}

interface Survivors {
  names(folder: Folder): ReadonlyMap<string, Entry>;
  bytes(file: SimulatedFile): Contents;
}

async function writeFolder(place: string, folder: Folder, survivors: Survivors): Promise<void> {
  await mkdir(place, { recursive: true });
  for (const [name, entry] of survivors.names(folder)) {
    const below = path.join(place, name);
    if (isFolder(entry)) await writeFolder(below, entry, survivors);
    else if (!ONLY_WHILE_RUNNING.test(name)) await writeFile(below, survivors.bytes(entry));
  }
}
