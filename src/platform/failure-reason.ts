/**
 * Why something failed, in one line. A connection to a name with several addresses fails with an error for each of them, and
 * without a message of its own.
 */
export function failureReason(error: unknown): string {
  const parts = error instanceof AggregateError ? error.errors : [error];
  const reasons = parts.map((part) => (part instanceof Error ? part.message : String(part)));
  return (
    [...new Set(reasons)].join(', ') || String((error as NodeJS.ErrnoException | undefined)?.code ?? error)
  );
}
