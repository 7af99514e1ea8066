/** Error tables. Services throw error codes; the table of a service gives each code its status and text. */

import { detailReply } from '../routing/replies.js';
import type { Reply } from '../routing/route.js';

/** By error code. `{name}` in a text is a placeholder. */
export type ErrorRows = Readonly<Record<string, readonly [status: number, text: string]>>;

/** Values of placeholders. */
export type ErrorDetails = Readonly<Record<string, string | number>>;

export interface ErrorTable<Code extends string> {
  status(code: Code): number;
  /** The text with its placeholders replaced; a missing value becomes the empty string. */
  text(code: Code, details?: ErrorDetails): string;
  /** The response, in the service's form. */
  reply(code: Code, details?: ErrorDetails): Reply;
}

/** @param render the service's form of an error; default: JSON with a `detail` */
export function errorTable<const Rows extends ErrorRows>(
  rows: Rows,
  render: (status: number, text: string) => Reply = detailReply,
): ErrorTable<keyof Rows & string> {
  type Code = keyof Rows & string;
  const row = (code: Code) => (rows as ErrorRows)[code] ?? [500, code];
  const status = (code: Code) => row(code)[0];
  const text = (code: Code, details: ErrorDetails = {}) =>
    row(code)[1].replace(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? ''));
  return { status, text, reply: (code, details) => render(status(code), text(code, details)) };
}
