/**
 * Blobs as files: `drafts/<random>` while they are written, `files/<folder>/<name>` afterwards. Both are on one file
 * system, so a commit is a rename.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, opendir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isNativeError, native } from '../../native.js';
import { absent } from '../data/absent.js';
import { syncPath, testWrite } from '../data/durable.js';
import { StorageFull } from '../data/full.js';
import { LastWrite } from '../data/last-write.js';
import { type DirectWriter, DirectWrites } from './direct.js';
import {
  type BlobDraft,
  BlobFolderTaken,
  type BlobKey,
  type BlobPlaces,
  type Blobs,
  type FolderRange,
  type LocalBlob,
  type OnUnremoved,
} from './port.js';

const DRAFT_NAME_CHARACTERS = randomUUID().length;
const NOT_WRITTEN = 'the last upload could not be written';

export class FileBlobs implements Blobs {
  readonly #files: string;
  readonly #drafts: string;
  /** Drafts that this process is writing; the clean-up skips them. */
  readonly #open = new Set<string>();
  readonly #last: LastWrite = new LastWrite(() => watched(testWrite(this.#drafts), this.#last));
  readonly #direct: DirectWrites;

  private constructor(root: string, isDirect: boolean) {
    this.#direct = new DirectWrites(isDirect);
    this.#files = path.join(root, 'files');
    this.#drafts = path.join(root, 'drafts');
  }

  get places(): BlobPlaces {
    return { files: this.#files, drafts: this.#drafts };
  }

  /** @param isDirect whether large blobs bypass the page cache; slower if they are read as soon as they are written */
  static async open(root: string, { isDirect = false } = {}): Promise<FileBlobs> {
    const blobs = new FileBlobs(root, isDirect);
    await mkdir(blobs.#files, { recursive: true });
    await mkdir(blobs.#drafts, { recursive: true });
    await syncPath(root);
    return blobs;
  }

  /** With a key, the first write creates the file. Without one, the file exists, because other programs may use it. */
  async begin(key?: BlobKey): Promise<FileDraft> {
    const file = path.join(this.#drafts, randomUUID());
    const ended = () => this.#open.delete(file);
    this.#open.add(file);
    const draft = new FileDraft(file, {
      files: this.#files,
      last: this.#last,
      direct: this.#direct,
      ended,
    });
    if (key === undefined) await draft.create();
    return draft;
  }

  /** Why the last write failed; `undefined` if it succeeded. */
  problem(): Promise<string | undefined> {
    return this.#last.problem();
  }

  async find(key: BlobKey): Promise<LocalBlob | undefined> {
    const file = path.join(this.#files, key.folder, key.name);
    const found = await stat(file).catch(absent);
    return found?.isFile() ? { path: file, bytes: found.size } : undefined;
  }

  async remove(folder: string): Promise<void> {
    await rm(path.join(this.#files, folder), { recursive: true, force: true });
  }

  removeStrays(
    keep: (folder: string) => boolean,
    before: number,
    { from = '', to, onUnremoved }: FolderRange & { readonly onUnremoved?: OnUnremoved } = {},
  ): Promise<number> {
    const isAmong = (folder: string) => folder >= from && (to === undefined || folder < to);
    return removeOld(this.#files, (folder) => !isAmong(folder) || keep(folder), before, onUnremoved);
  }

  removeDrafts(before: number, onUnremoved?: OnUnremoved): Promise<number> {
    // Programs may create files next to a draft; their names begin with its name.
    const draftOf = (name: string) => path.join(this.#drafts, name.slice(0, DRAFT_NAME_CHARACTERS));
    return removeOld(this.#drafts, (name) => this.#open.has(draftOf(name)), before, onUnremoved);
  }
}

interface DraftParts {
  /** Folder of published blobs. */
  readonly files: string;
  readonly last: LastWrite;
  readonly direct: DirectWrites;
  /** Called when the draft is committed or discarded. */
  readonly ended: () => void;
}

/** A draft in a local file. */
export class FileDraft implements BlobDraft {
  readonly path: string;
  readonly #files: string;
  readonly #last: LastWrite;
  readonly #directs: DirectWrites;
  readonly #direct: DirectWriter;
  readonly #ended: () => void;
  #handle: Promise<FileHandle> | undefined;
  #committed = false;
  /** State of the file after the last sync. */
  #synced: string | undefined;

  constructor(file: string, { files, last, direct, ended }: DraftParts) {
    this.path = file;
    this.#files = files;
    this.#last = last;
    this.#directs = direct;
    this.#direct = direct.writer(file);
    this.#ended = ended;
  }

  /** Creates the file, unless that is done. */
  async create(): Promise<FileHandle> {
    this.#handle ??= open(this.path, 'wx', 0o600).catch((error: unknown) => {
      this.#ended();
      throw error;
    });
    return this.#handle;
  }

  async write(block: Uint8Array, position: number): Promise<void> {
    try {
      const handle = await this.create();
      if (await this.#direct.write(block, position)) return;
      let written = 0;
      while (written < block.byteLength) {
        const rest = block.byteLength - written;
        written += (await handle.write(block, written, rest, position + written)).bytesWritten;
      }
    } catch (error) {
      this.#last.failed(error, NOT_WRITTEN);
      throw error;
    }
  }

  /** By its path: a program may have replaced the file. */
  async sync(): Promise<void> {
    const syncing = native.syncFile(this.path).catch((error: unknown) => {
      throw asStorageFull(error);
    });
    this.#synced = await watched(syncing, this.#last);
  }

  async commit(key: BlobKey, whole?: Uint8Array): Promise<LocalBlob> {
    const folder = path.join(this.#files, key.folder);
    try {
      const bytes = whole
        ? await this.#storeWhole(whole, folder, key.name)
        : await this.#publish(folder, key.name);
      this.#committed = true;
      this.#last.succeeded();
      await this.#end();
      return { path: path.join(folder, key.name), bytes };
    } catch (error) {
      if (isNativeError(error, 'CONFLICT')) throw new BlobFolderTaken(key.folder);
      const shown = asStorageFull(error);
      this.#last.failed(shown, NOT_WRITTEN);
      throw shown;
    }
  }

  async #publish(folder: string, name: string): Promise<number> {
    await this.create();
    return native.publishFile(this.path, folder, name, this.#synced);
  }

  async #storeWhole(bytes: Uint8Array, folder: string, name: string): Promise<number> {
    await native.storeFile(bytes, folder, name, this.#directs.isWorth(bytes.byteLength));
    return bytes.byteLength;
  }

  async discard(): Promise<void> {
    if (this.#committed) return;
    await this.#end();
    // A killed program may have left files next to the draft.
    const [folder, draft] = [path.dirname(this.path), path.basename(this.path)];
    const names = ((await readdir(folder).catch(absent)) ?? []).filter((name) => name.startsWith(draft));
    const options = { recursive: true, force: true, maxRetries: 3 };
    await Promise.all(names.map((name) => rm(path.join(folder, name), options)));
  }

  async #end(): Promise<void> {
    this.#ended();
    const handle = await this.#handle?.catch(() => undefined);
    await Promise.all([handle?.close(), this.#direct.close()]);
  }
}

async function watched<T>(write: Promise<T>, last: LastWrite): Promise<T> {
  try {
    const result = await write;
    last.succeeded();
    return result;
  } catch (error) {
    last.failed(error, NOT_WRITTEN);
    throw error;
  }
}

async function removeOld(
  folder: string,
  keep: (name: string) => boolean,
  before: number,
  onUnremoved?: OnUnremoved,
): Promise<number> {
  let removed = 0;
  for await (const { name } of await opendir(folder)) {
    if (keep(name)) continue;
    const entry = path.join(folder, name);
    const found = await stat(entry).catch(absent);
    if (found === undefined || found.mtimeMs >= before) continue;
    try {
      await rm(entry, { recursive: true, force: true });
      removed += 1;
    } catch (error) {
      if (onUnremoved === undefined) throw error;
      onUnremoved(entry, error);
    }
  }
  return removed;
}

function asStorageFull(error: unknown): unknown {
  return isNativeError(error, 'STORAGE_FULL') ? new StorageFull({ cause: error }) : error;
}
