/** Rates as operators write them: `10/m`. */

export interface Rate {
  readonly count: number;
  readonly periodSeconds: number;
}

const PERIOD_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A whole number, a slash and one of s, m, h, d; `undefined` for everything else. */
export function parseRate(text: string): Rate | undefined {
  const [, count = '', period = ''] = /^(\d{1,15})\/([smhd])$/.exec(text) ?? [];
  const periodSeconds = PERIOD_SECONDS[period];
  return periodSeconds === undefined ? undefined : { count: Number(count), periodSeconds };
}
