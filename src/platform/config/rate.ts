/** Limits of requests per period, as variables have them. */

/** At most `count` requests per period. */
export interface Rate {
  readonly count: number;
  readonly periodSeconds: number;
}

const PERIOD_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Parses a rate such as `10/m`: a whole number, a slash and one of s, m, h, d. Anything else is `undefined`. */
export function parseRate(text: string): Rate | undefined {
  const [, count = '', period = ''] = /^(\d{1,15})\/([smhd])$/.exec(text) ?? [];
  const periodSeconds = PERIOD_SECONDS[period];
  return periodSeconds === undefined ? undefined : { count: Number(count), periodSeconds };
}
