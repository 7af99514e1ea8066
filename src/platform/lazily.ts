/** Values that are made at the first use. */

/** Calls `make` at most once, at the first call of the returned function, which then returns the same value. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
