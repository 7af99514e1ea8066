/**
 * Reads the last change: one row. It is sent before every search, so it uses the messages of the protocol of PostgreSQL
 * directly: that takes half of the processor time of a query of pg.
 */
import type { Connection, Submittable } from 'pg';
import { NEWEST_POINT, type Point } from '../../../storage/feed/history.js';

/** The server parses the statement once per connection. */
const NAME = 'isccd-newest';
const NO_PARAMETERS = int16(0);

const PARSE = message('P', text(NAME), text(NEWEST_POINT), NO_PARAMETERS);
/** Bind (unnamed portal, no parameters, results as text), Execute (all rows) and Sync. */
const EXECUTE = Buffer.concat([
  message('B', text(''), text(NAME), int16(0), NO_PARAMETERS, int16(0)),
  message('E', text(''), int16(0), int16(0)),
  message('S'),
]);
const PARSE_AND_EXECUTE = Buffer.concat([PARSE, EXECUTE]);

/** What pg passes on of a row. */
interface DataRow {
  readonly fields: readonly (string | null)[];
}

/** Pass it to `query` of a client; pg then calls the methods. */
export class NewestQuery implements Submittable {
  readonly answer: Promise<Point>;
  readonly #isParsed: boolean;
  #done: (value: Point) => void = () => {};
  #failed: (error: Error) => void = () => {};
  #value: Point = { sequence: Number.NaN, tag: undefined };
  /** pg replaces it, to clear its timer. */
  callback: () => void = () => {};

  /** @param isParsed whether the connection has sent this query before */
  constructor(isParsed: boolean) {
    this.#isParsed = isParsed;
    this.answer = new Promise((resolve, reject) => {
      [this.#done, this.#failed] = [resolve, reject];
    });
  }

  submit({ stream }: Connection): void {
    stream.write(this.#isParsed ? EXECUTE : PARSE_AND_EXECUTE);
  }

  handleDataRow({ fields: [sequence, tag] }: DataRow): void {
    this.#value = { sequence: Number(sequence), tag: tag ?? undefined };
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback();
    if (Number.isSafeInteger(this.#value.sequence)) this.#done(this.#value);
    else this.#failed(new Error('the table feed has no row'));
  }

  handleError(error: Error): void {
    this.callback();
    this.#failed(error);
  }
}

/** A message: its type, its length without the type, its parts. */
function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
