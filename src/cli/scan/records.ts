/** What a scan knows of each file, kept in `results.ndjson` of its folder. */
import path from 'node:path';
import type { IsccResult } from '../../codes/result.js';
import { type Line, LineFile, type LinePlace } from '../batch/line-file.js';
import type { Failure } from '../batch/run.js';
import type { Source } from '../batch/source.js';

const FILE = 'results.ndjson';

/** A file with its codes. */
export interface ScannedFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly mode: string;
  readonly mediatype: string;
  /** Title; `undefined` if it is made from the file name. */
  readonly title: string | undefined;
  readonly datahash: string;
  /** Units of 256 bits whose matches mean something. */
  readonly units: readonly string[];
  readonly place: LinePlace;
}

/** A line of the file, besides the members of a result. */
interface Extra {
  readonly modifiedMs: number;
  readonly titled: boolean;
  /** Whether the text is empty, so that its Text-Code means nothing. */
  readonly units: readonly string[];
}

export class ScanRecords {
  readonly files = new Map<string, ScannedFile>();
  readonly failures = new Map<string, Failure>();
  readonly #file: LineFile;

  /** Reads what earlier scans found. */
  constructor(folder: string) {
    this.#file = new LineFile(path.join(folder, FILE), (line, place) => this.#add(line, place));
  }

  /** Whether the file has a result and has not changed since. */
  has({ path: file, size, modifiedMs }: Source): boolean {
    const known = this.files.get(file);
    return known !== undefined && known.bytes === size && known.modifiedMs === modifiedMs;
  }

  addResult(file: string, result: IsccResult, extra: Extra): void {
    const line = { path: file, ...result, ...extra };
    this.#add(line, this.#file.append(line));
  }

  addFailure(file: string, error: Failure): void {
    const line = { path: file, error };
    this.#add(line, this.#file.append(line));
  }

  /** The thumbnail of a file, a Data-URL. */
  thumbnail({ place }: ScannedFile): string | undefined {
    const { thumbnail } = this.#file.read(place);
    return typeof thumbnail === 'string' ? thumbnail : undefined;
  }

  close(): void {
    this.#file.close();
  }

  #add(line: Line, place: LinePlace): void {
    this.files.delete(line.path);
    this.failures.delete(line.path);
    if (line.error !== undefined) {
      this.failures.set(line.path, line.error);
      return;
    }
    const result = line as unknown as IsccResult & Extra & { readonly path: string };
    this.files.set(line.path, {
      path: line.path,
      bytes: result.filesize,
      modifiedMs: result.modifiedMs,
      mode: result.mode ?? 'other',
      mediatype: result.mediatype,
      title: result.titled ? result.name : undefined,
      datahash: result.datahash,
      units: result.units,
      place,
    });
  }
}
