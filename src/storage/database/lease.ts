/** Times in the database come from the clocks of several processes, and from one clock before and after it was set right. */

/** Clocks differ by less. A time that lies further ahead than it can was written while a clock was ahead, and is over. */
export const CLOCK_SKEW_MS = 60_000;

/** Latest end of a lease, or of a session, that counts. One with a later end counts as over. */
export function leaseEndMax(now: number, leaseMs: number): number {
  return now + leaseMs + CLOCK_SKEW_MS;
}
