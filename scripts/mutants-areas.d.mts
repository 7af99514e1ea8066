/** A part of the sources whose tests are judged by mutants; `mutants-areas.mjs` describes the members. */
export interface Area {
  readonly name: string;
  readonly tool: 'cargo' | 'stryker';
  readonly sources: readonly string[];
  readonly crate?: string;
  readonly tests: readonly string[];
}

export const AREAS: readonly Area[];
