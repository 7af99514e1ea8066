/** Rounding as the reference does: a tie goes to the even neighbour. */

export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** To three decimals. A tie there is an odd multiple of 1/16, and then the product is exact. */
export function roundToThousandths(value: number): number {
  const sixteenths = value * 16;
  const tie = Number.isInteger(sixteenths) && sixteenths % 2 !== 0;
  return tie ? roundHalfEven(value * 1000) / 1000 : Number(value.toFixed(3));
}
