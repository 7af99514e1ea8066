/** Compiles the examples of the documentation against an installed package; `try-types.mjs` describes it. */
export function typeProblems(options: { readonly folder: string; readonly modules: string }): string[];
