/**
 * Reads a posted HTML form with a file while it arrives (multipart/form-data, RFC 7578). Fields must precede the file; what
 * follows the file is ignored.
 */

const FIELD_BYTES_MAX = 4096;
const HEAD_BYTES_MAX = 8192;
const PARTS_MAX = 16;

export interface PostedFile {
  /** As the browser names it. */
  readonly mediatype: string | undefined;
  readonly filename: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface FileForm {
  readonly fields: ReadonlyMap<string, string>;
  /** `undefined` if no file was chosen. */
  readonly file: PostedFile | undefined;
}

/** The body is not the form of a browser. */
export class FileFormInvalid extends Error {
  override readonly name = 'FileFormInvalid';
}

/**
 * Reads up to the file, whose bytes follow.
 *
 * @throws {FileFormInvalid} if the body is another one, also while the bytes are read
 */
export async function readFileForm(
  contentType: string | undefined,
  body: AsyncIterable<Uint8Array>,
): Promise<FileForm> {
  const [, , boundary] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=("?)([^";\s]{1,70})\1/i.exec(contentType ?? '') ?? [];
  if (boundary === undefined) throw new FileFormInvalid('the body must be multipart/form-data');
  const reader = new MarkReader(body);
  const delimiter = `\r\n--${boundary}`;
  const fields = new Map<string, string>();
  await reader.text(delimiter, HEAD_BYTES_MAX);
  for (let parts = 0; parts < PARTS_MAX; parts += 1) {
    if ((await reader.text('\r\n', HEAD_BYTES_MAX)).startsWith('--')) return { fields, file: undefined };
    const head = await reader.text('\r\n\r\n', HEAD_BYTES_MAX);
    const name = /^content-disposition:.*[;\s]name="([^"]*)"/im.exec(head)?.[1] ?? '';
    const filename = /^content-disposition:.*[;\s]filename="([^"]*)"/im.exec(head)?.[1];
    if (filename === undefined) fields.set(name, await reader.text(delimiter, FIELD_BYTES_MAX));
    else if (filename === '') await reader.text(delimiter, FIELD_BYTES_MAX);
    else {
      const mediatype = /^content-type:\s*(\S.*?)\s*$/im.exec(head)?.[1];
      return { fields, file: { mediatype, filename, bytes: reader.until(delimiter) } };
    }
  }
  throw new FileFormInvalid('the form has too many fields');
}

/** Splits a stream at marks. Keeps at most a chunk and a mark. */
class MarkReader {
  readonly #source: AsyncIterator<Uint8Array>;
  /** The first delimiter of a body lacks the line break of all others. */
  #rest = Buffer.from('\r\n');

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The bytes before the mark, which is skipped. */
  async *until(mark: string): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#rest.indexOf(mark);
      const length = at < 0 ? Math.max(0, this.#rest.length - mark.length + 1) : at;
      if (length > 0) yield this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(at < 0 ? length : at + mark.length);
      if (at >= 0) return;
      const { done, value } = await this.#source.next();
      if (done) throw new FileFormInvalid('the form is incomplete');
      this.#rest = Buffer.concat([this.#rest, value]);
    }
  }

  /** The text before the mark. @throws {FileFormInvalid} if it is longer than `bytesMax` */
  async text(mark: string, bytesMax: number): Promise<string> {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of this.until(mark)) {
      length += part.length;
      if (length > bytesMax) throw new FileFormInvalid('a field of the form is too long');
      parts.push(part);
    }
    return Buffer.concat(parts).toString('utf8');
  }
}
