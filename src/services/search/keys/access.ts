/** What the sender of a request may do. */
import { SearchRefusal } from '../errors.js';

/** None of the rights includes another one. */
export const RIGHTS = ['read', 'write', 'admin'] as const;

/** `read`: search, list and get; `write`: add and delete assets; `admin`: create, rename and delete indexes and aliases. */
export type Right = (typeof RIGHTS)[number];

/** Length of an index name in a message. Names in paths may have any length. */
const NAME_CHARS_SHOWN_MAX = 64;

export class Access {
  /** Of a public service, and of the key that is configured in the environment. */
  static readonly full = new Access(RIGHTS, undefined);

  readonly #rights: ReadonlySet<Right>;
  readonly #indexes: ReadonlySet<string> | undefined;

  /** @param indexes `undefined`: all */
  constructor(rights: readonly Right[], indexes: readonly string[] | undefined) {
    this.#rights = new Set(rights);
    this.#indexes = indexes && new Set(indexes);
  }

  /** Whether it covers all indexes. */
  get coversAll(): boolean {
    return this.#indexes === undefined;
  }

  /** Whether it covers an index. An index is covered by its own name and by an alias, under which it was requested. */
  covers(...names: readonly (string | undefined)[]): boolean {
    const indexes = this.#indexes;
    return indexes === undefined || names.some((name) => name !== undefined && indexes.has(name));
  }

  /**
   * Checks a right, for an index if it is named.
   *
   * @param target the index that the name is an alias of
   * @throws {SearchRefusal} 403
   */
  require(right: Right, name?: string, target?: string): void {
    const isCovered = name === undefined || this.covers(name, target);
    if (this.#rights.has(right) && isCovered) return;
    const subject = name === undefined ? 'this request' : `'${name.slice(0, NAME_CHARS_SHOWN_MAX)}'`;
    throw new SearchRefusal('FORBIDDEN', { right, subject });
  }
}
