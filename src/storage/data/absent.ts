/** Files that do not exist. */

/** Whether an error says that a file, or a folder on its path, does not exist. */
export function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** For `catch`: `undefined` for what does not exist. @throws any other error */
export function absent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}
