/** Why a file that a person named cannot be read, in words. */
import { reason } from './failure.js';

export const FILE_PROBLEMS = {
  ENOENT: 'the file does not exist',
  ENOTDIR: 'the file does not exist',
  EACCES: 'the file may not be read',
  EPERM: 'the file may not be read',
  EISDIR: 'it is a folder, not a file',
} as const;

/** The words for what the operating system says, or what was thrown. */
export function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return Object.entries(FILE_PROBLEMS).find(([known]) => known === code)?.[1] ?? reason(error);
}
