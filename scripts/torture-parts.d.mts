/** A part of the torture programme; `torture-parts.mjs` describes the members. */
export interface Part {
  readonly name: string;
  readonly about: string;
  readonly unit: string;
  readonly short: number;
  readonly long: number;
  readonly seconds: number;
  readonly files: readonly string[];
  readonly alone?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export const PARTS: readonly Part[];
