/** What a file is, by its name and its first bytes. */
import { native } from '../../native.js';
import type { Mode } from '../result.js';

export interface MediaType {
  readonly mediatype: string;
  /** Absent for what no mode of ISCC-CODEs covers. */
  readonly mode?: Mode;
}

/** A name of a supported type wins over the content; the request's Content-Type plays no part. */
export function mediaTypeOf(filename: string, head: Uint8Array): MediaType {
  const { mediatype, mode } = native.inspect(filename, head);
  return mode === undefined || mode === null ? { mediatype } : { mediatype, mode: mode as Mode };
}
