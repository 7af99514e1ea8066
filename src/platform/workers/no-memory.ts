/** Messages of failed allocations: of Rust, C++, V8, Node.js and the C library. */
export const NO_MEMORY =
  /memory allocation of|bad_alloc|out of memory|allocation failed|failed to allocate memory|Cannot allocate memory/i;
