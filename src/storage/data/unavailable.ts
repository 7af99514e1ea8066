/** Storage that does not work at the moment. */

/** The storage is unreachable or refuses to serve this process. The message is one line for the operator. */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable';
}

/** Whether the process, or the machine, has too many open files and connections. */
export function isOutOfFiles(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === 'EMFILE' || code === 'ENFILE';
}
