/** Finds the files of arguments: paths, folders with everything below them, and glob patterns. */
import { constants, createReadStream, openSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import path from 'node:path';
import picomatch from 'picomatch';
import { type FolderEntry, folderEntries } from './folder-entries.js';
import { fetchStream } from './remote.js';
import { type Source, SourceFailed, type Unreadable } from './source.js';

export interface WalkOptions {
  /** Patterns of paths relative to the folder; without any, all files. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** Results of earlier runs next to their files, by this program and by iscc-sdk. */
const OWN_RESULT = /\.iscc\.(?:json|mp7sig)$/;

const ERRORS = {
  ENOENT: ['NOT_FOUND', 'the file does not exist'],
  ENOTDIR: ['NOT_FOUND', 'the file does not exist'],
  EACCES: ['NO_PERMISSION', 'the file may not be read'],
  EPERM: ['NO_PERMISSION', 'the file may not be read'],
} as const;

/** The files of a local argument: folder by folder, by name; the files of a folder before its subfolders. */
export async function* localSources(
  argument: string,
  options: WalkOptions = {},
): AsyncGenerator<Source | Unreadable> {
  const found = await stat(argument).catch((error: unknown) => error as Error);
  if (found instanceof Error) {
    if (isPattern(argument)) yield* matching(argument);
    else yield { path: argument, error: missing(argument, found) };
  } else if (found.isDirectory()) {
    yield* below(argument, filter(options));
  } else if (found.isFile()) {
    yield sourceOf(argument, found.size, found.mtimeMs);
  } else if (found.isFIFO()) {
    yield transientSource(argument, () => openPipe(argument));
  } else if (found.isCharacterDevice()) {
    yield transientSource(argument, async () => createReadStream(argument));
  } else {
    yield { path: argument, error: new SourceFailed('NOT_A_FILE', 'neither a file nor a folder') };
  }
}

/** A failed access to the file system, with a code and a text for the user. */
export function accessError(error: unknown): SourceFailed {
  const { code = '' } = error as NodeJS.ErrnoException;
  const known = ERRORS[code as keyof typeof ERRORS];
  // The text says all that the system does.
  if (known !== undefined) return new SourceFailed(known[0], known[1]);
  return new SourceFailed('UNREADABLE', `the file can't be read (${code})`, { cause: error });
}

function unnamed(): SourceFailed {
  return new SourceFailed('NAME_NOT_UTF8', 'the name is not valid UTF-8; rename the file or folder');
}

function missing(argument: string, error: Error): SourceFailed {
  if (hasLostBytes(argument)) return unnamed();
  const [, scheme] = /^([a-z][a-z\d+.-]+):\/\//i.exec(argument) ?? [];
  if (scheme === undefined) return accessError(error);
  return new SourceFailed(
    'ADDRESS_INVALID',
    `${scheme}:// is not supported; use a path, http://, https:// or s3://`,
  );
}

/** Arguments are text: Node.js has replaced the bytes that are not UTF-8. */
function hasLostBytes(argument: string): boolean {
  return argument.includes('\ufffd');
}

function isPattern(argument: string): boolean {
  return picomatch.scan(argument).isGlob === true;
}

async function* matching(pattern: string): AsyncGenerator<Source | Unreadable> {
  const { base } = picomatch.scan(pattern);
  const isMatch = picomatch(path.posix.normalize(pattern), { dot: true });
  const root = base === '' ? '.' : base;
  let found = false;
  const accepts = (file: string) => isMatch(slashes(path.normalize(file)));
  for await (const source of below(root, { accepts, enters: mayHoldMatches(pattern) })) {
    found = true;
    yield source;
  }
  if (!found) yield { path: pattern, error: new SourceFailed('NO_MATCH', 'no file matches the pattern') };
}

/** Whether files in a folder can match a pattern. Other folders are not read, so that they cannot fail either. */
function mayHoldMatches(pattern: string): (folder: string) => boolean {
  // A slash inside of parentheses or after an exclamation mark: the parts of the pattern are not those of paths.
  if (/^!|[({][^)}]*\//.test(pattern)) return () => true;
  const parts = path.posix.normalize(pattern).split('/');
  const unlimited = parts.findIndex((part) => part.includes('**'));
  const levels = parts.slice(0, unlimited).map((part) => ({
    part,
    // The first part of an absolute path is empty.
    isMatch: part === '' ? () => false : picomatch(part, { dot: true }),
  }));
  return (folder) => {
    const names = slashes(path.normalize(folder)).split('/');
    if (unlimited === -1 && names.length > levels.length) return false;
    return levels.every(({ part, isMatch }, at) => {
      const name = names[at];
      return name === undefined || name === part || isMatch(name);
    });
  };
}

/** Both get paths that begin with the folder of the argument. */
interface Filter {
  readonly accepts: (file: string, root: string) => boolean;
  readonly enters: (folder: string, root: string) => boolean;
}

function filter({ include = [], exclude = [] }: WalkOptions): Filter {
  const isIncluded = include.length > 0 ? picomatch([...include], { dot: true }) : () => true;
  const isExcluded = exclude.length > 0 ? picomatch([...exclude], { dot: true }) : () => false;
  // A pattern without a slash is one of names, in every folder.
  const some = (isMatch: (text: string) => boolean) => (entry: string, root: string) =>
    isMatch(slashes(path.relative(root, entry))) || isMatch(path.basename(entry));
  const [included, excluded] = [some(isIncluded), some(isExcluded)];
  return {
    accepts: (file, root) => included(file, root) && !excluded(file, root),
    enters: (folder, root) => !excluded(folder, root),
  };
}

/** Files below a folder. Links to folders are not followed, because they may form a circle. */
async function* below(root: string, { accepts, enters }: Filter): AsyncGenerator<Source | Unreadable> {
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await entriesOf(folder);
    if (entries instanceof SourceFailed) {
      yield { path: folder, error: entries };
      continue;
    }
    const inner: string[] = [];
    for (const entry of entries) {
      const file = path.join(folder, entry.name);
      const isRead = !OWN_RESULT.test(file) && accepts(file, root);
      if (!entry.isNamed) {
        if (isRead) yield { path: file, error: unnamed() };
      } else if (entry.dirent.isDirectory()) {
        if (enters(file, root)) inner.push(file);
      } else if ((entry.dirent.isFile() || entry.dirent.isSymbolicLink()) && isRead) {
        const source = await fileSource(file, entry);
        if (source !== undefined) yield source;
      }
    }
    folders.push(...inner.reverse());
  }
}

async function entriesOf(folder: string): Promise<FolderEntry[] | SourceFailed> {
  return folderEntries(folder).catch(accessError);
}

/** `undefined` for links to folders, sockets and the like. */
async function fileSource(file: string, { dirent }: FolderEntry): Promise<Source | Unreadable | undefined> {
  const found = await stat(file).catch((error: unknown) => error as Error);
  if (found instanceof Error) return { path: file, error: accessError(found) };
  if (dirent.isSymbolicLink() && !found.isFile()) return undefined;
  const source = sourceOf(file, found.size, found.mtimeMs);
  return dirent.isSymbolicLink() ? { ...source, isLink: true } : source;
}

function sourceOf(file: string, size: number, modifiedMs: number): Source {
  const local = { path: path.resolve(file) };
  const fetch = async () => {
    await access(local.path, constants.R_OK).catch((error: unknown) => {
      throw accessError(error);
    });
    return local;
  };
  return { path: file, filename: path.basename(file), size, modifiedMs, fetch };
}

/** Can be read only once, so its content is copied first. */
function transientSource(file: string, opened: () => Promise<NodeJS.ReadableStream>): Source {
  const fetch = async (folder: string) => fetchStream(await opened(), folder);
  return { path: file, filename: path.basename(file), isTransient: true, fetch };
}

/** Waits for a writer without a blocked thread. With one, no signal could end the process. */
async function openPipe(file: string): Promise<Socket> {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

function slashes(file: string): string {
  return file.replaceAll(path.sep, '/');
}
