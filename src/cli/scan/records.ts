/** What scans know of each file, kept in `results.ndjson` of their folder. */
import path from 'node:path';
import type { IsccResult } from '../../services/codes/result.js';
import { type Line, LineFile, type LinePlace } from '../batch/line-file.js';
import type { Failure } from '../batch/run.js';
import type { Source } from '../batch/source.js';
import { isBelow } from './labels.js';

export const RECORDS_FILE = 'results.ndjson';
/** Replaced lines are removed once they are so large a part of all. */
const REPLACED_MAX = 0.1;

/** Units of the bytes: Data- and Instance-Code. */
const BYTE_UNITS = 2;

/** Codes that only some reports need. */
export interface WantedCodes {
  /** Those of pictures mirrored and turned. */
  readonly symmetries?: boolean | undefined;
  /** Simprints of texts. */
  readonly passages?: boolean | undefined;
  /** Simprints of films and recordings. */
  readonly clips?: boolean | undefined;
}

/** A file with its codes. */
export interface ScannedFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** When the codes were made. */
  readonly scannedMs: number | undefined;
  readonly mode: string;
  readonly mediatype: string;
  /** Seconds. */
  readonly duration?: number | undefined;
  /** Title; `undefined` if it is made from the file name. */
  readonly title: string | undefined;
  readonly iscc: string;
  readonly datahash: string;
  readonly allUnits: readonly string[];
  /** Those whose matches mean something. */
  readonly units: readonly string[];
  /** Image-Codes of the picture mirrored and turned; absent without a picture, or in results of other programs. */
  readonly symmetries?: readonly string[] | undefined;
  /** What the picture and the film of a Live Photo have in common. */
  readonly contentIdentifier?: string | undefined;
  /** Whether its line has simprints. */
  readonly isGranular?: boolean;
  /** Whether its line has the simprints that a film or a recording has. */
  readonly clipsSought?: boolean | undefined;
  readonly place: LinePlace;
}

/** What is known under a name. */
export interface Known {
  readonly place: LinePlace;
  /** Absent if the file could not be read. */
  readonly file?: ScannedFile;
  readonly failure?: Failure;
  /** Location of the file, of which this is another name. */
  readonly sameFileAs?: string;
}

/** A folder that was scanned into a workspace. */
export interface ScannedFolder {
  /** Beginning of the locations of its files. */
  readonly label: string;
  readonly folder: string;
  readonly host: string;
  readonly scannedMs: number;
}

/** A line of the file, besides its path and the members of a result. */
interface Extra {
  /** Identifies the file; the path may be spelled differently by the next scan. */
  readonly location: string;
  readonly modifiedMs: number;
  readonly scannedMs: number;
  readonly titled: boolean;
  /** Units whose matches mean nothing: of plain pictures, of documents without text. */
  readonly silent: readonly string[];
  readonly symmetries?: readonly string[] | undefined;
  readonly contentIdentifier?: string | undefined;
  /** Whether simprints of films and recordings were made; a silent one has none. */
  readonly clipsSought?: boolean | undefined;
  /** Why the file has no other codes than those of its bytes. */
  readonly error?: Failure;
  /** A line without result: another name of a file, a removed file, a folder of a workspace. */
  readonly sameFileAs?: string;
  readonly removed?: boolean;
  readonly scan?: ScannedFolder;
}

/** What was found out about a file. */
export interface Finding {
  readonly result: IsccResult;
  readonly titled: boolean;
  readonly silent: readonly string[];
  readonly symmetries?: readonly string[] | undefined;
  readonly contentIdentifier?: string | undefined;
  readonly clipsSought?: boolean | undefined;
  readonly modifiedMs?: number | undefined;
  readonly scannedMs?: number;
  readonly error?: Failure | undefined;
}

type RecordLine = Line & Partial<IsccResult> & Partial<Extra>;

export class ScanRecords {
  readonly folders = new Map<string, ScannedFolder>();
  readonly #folderPlaces = new Map<string, LinePlace>();
  readonly #known = new Map<string, Known>();
  readonly #file: LineFile;
  #replaced = 0;

  /** Reads what earlier scans found. */
  constructor(folder: string) {
    this.#file = new LineFile(path.join(folder, RECORDS_FILE), (line, place) => this.#add(line, place));
  }

  /** Whether the file has the wanted codes and has not changed since. */
  has(location: string, { size, modifiedMs }: Source, wanted: WantedCodes = {}): boolean {
    const known = this.#known.get(location);
    if (known?.file === undefined || known.failure !== undefined) return false;
    const { mode, symmetries, isGranular, clipsSought, allUnits } = known.file;
    if (wanted.symmetries && mode === 'image' && symmetries === undefined) return false;
    // A text without content has neither.
    const hasText = mode === 'text' && allUnits.length > BYTE_UNITS;
    if (wanted.passages && hasText && !isGranular) return false;
    if (wanted.clips && (mode === 'audio' || mode === 'video') && !clipsSought) return false;
    return known.file.bytes === size && known.file.modifiedMs === modifiedMs;
  }

  /** What is known of a file, under the path that is shown for it. */
  get(location: string, shown: string): Known | undefined {
    const known = this.#known.get(location);
    return known?.file === undefined ? known : { ...known, file: { ...known.file, path: shown } };
  }

  /** The path of a location on the machine that has scanned it. */
  pathOf(location: string): string {
    for (const { label, folder } of this.folders.values())
      if (isBelow(location, label)) return path.join(folder, location.slice(label.length));
    return location;
  }

  locations(): IterableIterator<string> {
    return this.#known.keys();
  }

  addFinding(location: string, shown: string, finding: Finding): void {
    const { result, modifiedMs = 0, scannedMs = Date.now(), titled, silent, symmetries, error } = finding;
    const { contentIdentifier, clipsSought } = finding;
    const codes = {
      silent,
      ...(symmetries && { symmetries }),
      ...(contentIdentifier && { contentIdentifier }),
      ...(clipsSought && { clipsSought }),
    };
    const extra: Extra = { location, modifiedMs, scannedMs, titled, ...codes, ...(error && { error }) };
    this.#append({ path: shown, ...result, ...extra });
  }

  addFailure(location: string, shown: string, error: Failure): void {
    this.#append({ path: shown, location, error });
  }

  /** Another name of a file. */
  addName(location: string, sameFileAs: string): void {
    if (this.#known.get(location)?.sameFileAs !== sameFileAs)
      this.#append({ path: location, location, sameFileAs });
  }

  remove(location: string): void {
    this.#append({ path: location, location, removed: true });
  }

  addFolder(scan: ScannedFolder): void {
    this.#append({ path: scan.label, scan });
  }

  /** Adds the lines of another workspace below `label`, if it is not empty, except older ones of known files. */
  import(file: string, label: string): number {
    let count = 0;
    const below = (location: string) =>
      label === '' ? location : `${label}/${location.replace(/^\/+/, '')}`;
    const other = new LineFile(file, (line) => {
      const { location = line.path, sameFileAs, scan, ...rest } = line as RecordLine;
      if (scan !== undefined) {
        this.addFolder({ ...scan, label: below(scan.label) });
        return;
      }
      const known = this.#known.get(below(location))?.file?.scannedMs ?? 0;
      if (rest.removed || (known > 0 && known >= (rest.scannedMs ?? 0))) return;
      const names = sameFileAs === undefined ? {} : { sameFileAs: below(sameFileAs) };
      this.#append({ ...rest, path: below(location), location: below(location), ...names });
      count += 1;
    });
    other.close();
    return count;
  }

  /** The thumbnail of a file, a Data-URL. */
  thumbnail({ place }: ScannedFile): string | undefined {
    const { thumbnail } = this.#file.read(place);
    return typeof thumbnail === 'string' ? thumbnail : undefined;
  }

  /** The whole line of a file. */
  line({ place }: ScannedFile): Line {
    return this.#file.read(place);
  }

  close(): void {
    if (this.#replaced > REPLACED_MAX * this.#known.size)
      this.#file.keep([
        ...this.#folderPlaces.values(),
        ...[...this.#known.values()].map(({ place }) => place),
      ]);
    this.#file.close();
  }

  #append(line: RecordLine): void {
    const known = this.#known.get(line.location ?? '');
    // A file that fails again, for the same reason.
    if (line.error === undefined || known === undefined || !isSame(this.#file.read(known.place), line))
      this.#add(line, this.#file.append(line));
  }

  #add(line: RecordLine, place: LinePlace): void {
    const { scan, location = path.resolve(line.path), sameFileAs } = line;
    if (scan !== undefined) {
      if (this.#folderPlaces.has(scan.label)) this.#replaced += 1;
      this.#folderPlaces.set(scan.label, place);
      this.folders.set(scan.label, scan);
      return;
    }
    if (this.#known.delete(location)) this.#replaced += 1;
    if (line.removed) {
      this.#replaced += 1;
      return;
    }
    this.#known.set(location, {
      place,
      ...(line.error && { failure: line.error }),
      ...(sameFileAs !== undefined && { sameFileAs }),
      ...(line.datahash !== undefined && { file: scannedFile(line as FileLine, place) }),
    });
  }
}

function isSame(one: Line, other: Line): boolean {
  const [a, b] = [one, other].map((line) => JSON.stringify({ ...line, scannedMs: 0 }));
  return a === b;
}

type FileLine = IsccResult & Partial<Extra> & { readonly path: string };

function scannedFile(line: FileLine, place: LinePlace): ScannedFile {
  const silent = new Set(line.silent);
  return {
    path: line.path,
    bytes: line.filesize,
    modifiedMs: line.modifiedMs ?? 0,
    scannedMs: line.scannedMs,
    mode: line.mode ?? 'other',
    mediatype: line.mediatype,
    duration: line.duration,
    title: line.titled ? line.name : undefined,
    iscc: line.iscc,
    datahash: line.datahash,
    allUnits: line.units,
    units: silent.size === 0 ? line.units : line.units.filter((unit) => !silent.has(unit)),
    symmetries: line.symmetries,
    contentIdentifier: line.contentIdentifier,
    isGranular: line.features !== undefined,
    clipsSought: line.clipsSought,
    place,
  };
}
