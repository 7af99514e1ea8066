/** Finds the files of arguments: paths, folders with everything below them, and glob patterns. */
import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants, createReadStream, openSync } from 'node:fs';
import { access, mkdir, rm, stat, symlink } from 'node:fs/promises';
import { Socket } from 'node:net';
import path from 'node:path';
import picomatch from 'picomatch';
import { FILE_PROBLEMS } from '../terminal/file-problem.js';
import { type FolderEntry, folderEntries } from './folder-entries.js';
import { argumentPlace, baseName, escapedPlace, type Place, systemPath } from './place.js';
import { fetchTransient } from './remote.js';
import { type LocalFile, type Source, SourceFailed, type Unreadable } from './source.js';

export interface WalkOptions {
  /** Patterns of paths relative to the folder; without any, all files. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** Results of earlier runs next to their files, by this program and by iscc-sdk. */
const OWN_RESULT = /\.iscc\.(?:json|mp7sig)$/;

const ERRORS = {
  ENOENT: ['NOT_FOUND', FILE_PROBLEMS.ENOENT],
  ENOTDIR: ['NOT_FOUND', FILE_PROBLEMS.ENOTDIR],
  EACCES: ['NO_PERMISSION', FILE_PROBLEMS.EACCES],
  EPERM: ['NO_PERMISSION', FILE_PROBLEMS.EPERM],
} as const;

/** The files of a local argument: folder by folder, by name; the files of a folder before its subfolders. */
export async function* localSources(
  argument: string,
  options: WalkOptions = {},
): AsyncGenerator<Source | Unreadable> {
  const text = { path: argument };
  const found = await statusOf(text);
  if (!(found instanceof Error)) return yield* ofPlace(text, found, options);
  const place = argumentPlace(argument);
  if (place !== undefined) {
    const status = await statusOf(place);
    if (status instanceof Error) yield { ...place, error: accessError(status) };
    else yield* ofPlace(place, status, options);
  } else if (isPattern(argument)) yield* matching(argument);
  else yield { path: argument, error: missing(argument, found) };
}

/** The file that a path of earlier results names: no pattern, no folder. */
export async function fileAt(name: string): Promise<Source | Unreadable> {
  const places = [{ path: name }, escapedPlace(name)].filter((place) => place !== undefined);
  let failure: unknown;
  for (const place of places) {
    const found = await statusOf(place);
    if (found instanceof Error) failure ??= accessError(found);
    else if (found.isFile()) return sourceOf(place, found);
    else failure = new SourceFailed('NOT_A_FILE', 'not a file');
  }
  return { path: name, error: failure };
}

function statusOf(place: Place): Promise<BigIntStats | Error> {
  return stat(systemPath(place), { bigint: true }).catch((error: unknown) => error as Error);
}

async function* ofPlace(
  place: Place,
  found: BigIntStats,
  options: WalkOptions,
): AsyncGenerator<Source | Unreadable> {
  if (found.isDirectory()) yield* below(place, filter(options));
  else if (found.isFile()) yield sourceOf(place, found);
  else if (found.isFIFO()) yield transientSource(place, () => openPipe(place));
  else if (found.isCharacterDevice())
    yield transientSource(place, async () => createReadStream(systemPath(place)));
  else yield { ...place, error: new SourceFailed('NOT_A_FILE', 'neither a file nor a folder') };
}

/** A failed access to the file system, with a code and a text for the user. */
export function accessError(error: unknown): SourceFailed {
  const { code = '' } = error as NodeJS.ErrnoException;
  const known = ERRORS[code as keyof typeof ERRORS];
  // The text says all that the system does.
  if (known !== undefined) return new SourceFailed(known[0], known[1]);
  return new SourceFailed('UNREADABLE', `the file can't be read (${code})`, { cause: error });
}

function missing(argument: string, error: Error): SourceFailed {
  if (argument.includes('\ufffd')) return unnamed();
  const [, scheme] = /^([a-z][a-z\d+.-]+):\/\//i.exec(argument) ?? [];
  if (scheme === undefined) return accessError(error);
  return new SourceFailed(
    'ADDRESS_INVALID',
    `${scheme}:// is not supported; use a path, http://, https:// or s3://`,
  );
}

/** Where the system does not have the bytes of arguments. */
function unnamed(): SourceFailed {
  return new SourceFailed('NAME_NOT_UTF8', 'the name is not valid UTF-8; name the folder of the file');
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
  for await (const source of below({ path: root }, { accepts, enters: mayHoldMatches(pattern) })) {
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

/** Files whose status is read at a time: a network file system takes milliseconds for each. */
const CONCURRENT_STATUS = 64;

/** Files below a folder. Links to folders are not followed, because they may form a circle. */
async function* below(root: Place, { accepts, enters }: Filter): AsyncGenerator<Source | Unreadable> {
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await folderEntries(folder).catch(accessError);
    if (entries instanceof SourceFailed) {
      yield { ...folder, error: entries };
      continue;
    }
    const inner = entries.filter(({ path: file, dirent }) => dirent.isDirectory() && enters(file, root.path));
    const files = entries.filter(
      ({ path: file, dirent }) =>
        (dirent.isFile() || dirent.isSymbolicLink()) && !OWN_RESULT.test(file) && accepts(file, root.path),
    );
    for (let at = 0; at < files.length; at += CONCURRENT_STATUS) {
      const sources = await Promise.all(files.slice(at, at + CONCURRENT_STATUS).map(fileSource));
      for (const source of sources) if (source !== undefined) yield source;
    }
    folders.push(...inner.reverse());
  }
}

/** `undefined` for links to folders, sockets and the like. */
async function fileSource({ dirent, ...place }: FolderEntry): Promise<Source | Unreadable | undefined> {
  const found = await statusOf(place);
  if (found instanceof Error) return { ...place, error: accessError(found) };
  if (dirent.isSymbolicLink() && !found.isFile()) return undefined;
  const source = sourceOf(place, found);
  return dirent.isSymbolicLink() ? { ...source, isLink: true } : source;
}

function sourceOf(place: Place, found: BigIntStats): Source {
  return {
    ...place,
    filename: baseName(place),
    size: Number(found.size),
    modifiedMs: modifiedMs(found),
    identity: `${found.dev}:${found.ino}:${versionOf(found)}`,
    fetch: (folder) => opened(place, folder),
  };
}

/** The file, for as long as it is read. */
async function opened(place: Place, folder: string): Promise<LocalFile> {
  const file = systemPath(place);
  await access(file, constants.R_OK).catch((error: unknown) => {
    throw accessError(error);
  });
  const before = await statusOf(place);
  if (before instanceof Error) throw accessError(before);
  const verify = async () => {
    const after = await statusOf(place);
    if (after instanceof Error) throw accessError(after);
    if (after.ino !== before.ino || versionOf(after) !== versionOf(before)) throw changed();
  };
  if (place.bytes === undefined) return { path: path.resolve(place.path), verify };
  const link = await linkTo(place.bytes, folder);
  return { path: link, verify, discard: () => rm(link, { force: true }) };
}

function changed(): SourceFailed {
  return new SourceFailed('FILE_CHANGED', 'the file has changed while it was read; run the command again');
}

/** Changes with the content of a file. */
function versionOf({ size, mtimeNs }: BigIntStats): string {
  return `${size}:${mtimeNs}`;
}

const NS_PER_S = 1_000_000_000n;

/** As `mtimeMs` of Node.js, which records of earlier scans have. */
function modifiedMs({ mtimeNs }: BigIntStats): number {
  return Number(mtimeNs / NS_PER_S) * 1000 + Number(mtimeNs % NS_PER_S) / 1e6;
}

/** A link whose path is text, for decoders that take nothing else. */
async function linkTo(bytes: Buffer, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const link = path.join(folder, `linked-${randomBytes(9).toString('hex')}`);
  const isAbsolute = bytes.toString('latin1').startsWith('/');
  const target = isAbsolute ? bytes : Buffer.concat([Buffer.from(`${process.cwd()}/`), bytes]);
  await symlink(target, link);
  return link;
}

/** Can be read only once, so its content is copied first. */
function transientSource(place: Place, open: () => Promise<NodeJS.ReadableStream>): Source {
  const fetch = async (folder: string) => fetchTransient(await open(), folder);
  return { ...place, filename: baseName(place), isTransient: true, fetch };
}

/** Waits for a writer without a blocked thread. With one, no signal could end the process. */
async function openPipe(place: Place): Promise<Socket> {
  const fd = openSync(systemPath(place), constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

function slashes(file: string): string {
  return file.replaceAll(path.sep, '/');
}
