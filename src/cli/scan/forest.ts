/** A union-find structure over the numbers below a size. */
export class Forest {
  readonly #parents: Uint32Array;

  constructor(size: number) {
    this.#parents = Uint32Array.from({ length: size }, (_, at) => at);
  }

  /** Joins the sets of two members. False if they were in one already. */
  join(a: number, b: number): boolean {
    const [one, other] = [this.root(a), this.root(b)];
    this.#parents[one] = other;
    return one !== other;
  }

  isJoined(a: number, b: number): boolean {
    return this.root(a) === this.root(b);
  }

  /** The member that stands for the set. */
  root(member: number): number {
    const parents = this.#parents;
    let at = member;
    while (parents[at] !== at) {
      // Halves the path for later calls.
      parents[at] = parents[parents[at] ?? at] ?? at;
      at = parents[at] ?? at;
    }
    return at;
  }

  /** Sets of two and more, in the order of their first members. */
  sets(): number[][] {
    const sets = new Map<number, number[]>();
    for (const member of this.#parents.keys()) {
      const root = this.root(member);
      const known = sets.get(root);
      if (known === undefined) sets.set(root, [member]);
      else known.push(member);
    }
    return [...sets.values()].filter(({ length }) => length > 1);
  }
}
