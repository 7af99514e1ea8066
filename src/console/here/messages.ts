/** What the page and its worker say to each other. */

import type { Result } from '../codes-client.js';
import type { PageText } from '../language.js';

/** A file to code. */
export interface Order {
  readonly file: File;
  /** Whether simprints of a text's passages are wanted. */
  readonly granular: boolean;
}

/** Why the page cannot code a file: a text of the page, which says it in its language, or a message of the module. */
export type Reason =
  | { readonly text: PageText; readonly values: readonly string[] }
  | { readonly message: string };

/** What the worker made of a file. */
export interface Coded {
  readonly result: Result;
  /** Whether the file seems to embed content credentials, which only the server reads. */
  readonly hasCredentials: boolean;
}

export type News =
  | { readonly kind: 'read'; readonly share: number }
  | { readonly kind: 'coded'; readonly coded: Coded }
  /** The server may be able to. */
  | { readonly kind: 'refused'; readonly reason: Reason };
