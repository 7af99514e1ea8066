/** Whole numbers in addresses. */
import { z } from 'zod';

/**
 * A number written in decimal digits only: no sign, space, exponent or `0x`, which `Number` would read.
 *
 * @param rule what an error says
 */
export function wholeNumber(rule: string, min: number, max: number) {
  return z
    .string(rule)
    .regex(new RegExp(`^\\d{1,${String(max).length}}$`), rule)
    .transform(Number)
    .refine((number) => number >= min && number <= max, rule);
}
