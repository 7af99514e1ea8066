/** The file of an upload: the body of the request, or a file of another server that the request names. */
import type { SentFilename } from '../../../content/sent-filename.js';
import { sanitizeFilename } from '../../../iscc/filename.js';
import { CodesRefusal } from '../errors.js';
import { DEFAULT_FILENAME, filenameOf } from '../filename.js';
import type { GivenMetadata } from '../pipeline/jobs.js';
import { addressIn, type Sources } from '../sources.js';
import type { ByteSource } from './receive.js';

export interface OpenedUpload extends Pick<Upload, 'body' | 'contentType'> {
  readonly filename: string;
  /** Ends the connection that the body comes from. */
  readonly discard?: () => void;
}

/**
 * Opens the file. The caller discards it in the end.
 *
 * @throws {CodesRefusal} if the name or the address is invalid, or the other server does not send the file
 */
export async function openUpload(upload: Upload, sources: Sources): Promise<OpenedUpload> {
  const { sentFilename, body, contentType, signal } = upload;
  const address = await sourceOf(upload, sources);
  if (address === undefined) return { filename: filenameOf(sentFilename), body, contentType };
  // Before a connection is opened.
  const given = sentFilename ? filenameOf(sentFilename) : undefined;
  const file = await sources.open(address, signal);
  return { ...file, filename: given ?? (sanitizeFilename(file.filename) || DEFAULT_FILENAME) };
}

async function sourceOf(
  { source, contentType, body }: Upload,
  sources: Sources,
): Promise<string | undefined> {
  if (source !== undefined) {
    if (!sources.isOn) throw new CodesRefusal('SOURCES_OFF');
    return source;
  }
  // Without sources, a list of addresses is a file like any other.
  if (!sources.isOn || !/^text\/uri-list\b/i.test(contentType ?? '')) return undefined;
  return addressIn(body);
}

/** A request to store a file. */
export interface Upload {
  readonly sentFilename: SentFilename | undefined;
  readonly contentType: string | undefined;
  readonly clientAddress: string;
  readonly body: ByteSource;
  /** Length of the body as the client gave it. */
  readonly declaredBytes?: number | undefined;
  /** Address of the file, instead of the body. */
  readonly source?: string | undefined;
  /** Metadata that replaces that of the file. */
  readonly given?: GivenMetadata | undefined;
  /** Key chosen by the client, under which it can query the progress of this request. */
  readonly progressKey?: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}
