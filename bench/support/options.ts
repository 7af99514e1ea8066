/**
 * The command line of a benchmark. `--quick` selects the short form, which takes seconds and omits peers that have to be
 * installed first: it proves that the benchmark runs and gives no meaningful times.
 */

/** Whether the short form is wanted. */
export const QUICK = process.argv.includes('--quick');

/** The arguments without `--quick`. */
export const ARGUMENTS = process.argv.slice(2).filter((argument) => argument !== '--quick');

/** `full`, or `short` with `--quick`. */
export function quickOr<T>(short: T, full: T): T {
  return QUICK ? short : full;
}
