/** Database files that a power loss left without data. */
import { readFile, stat } from 'node:fs/promises';

/** Room for what the creation of a database writes, with the largest pages and the space that is allocated in advance. */
const BLANK_BYTES_MAX = 2 ** 22;

/**
 * Whether a file exists and holds no committed data because the power failed when it was created: it is empty, or small
 * and all zeros. Larger files of zeros held data once, so they count as damaged.
 */
export async function isBlankFile(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > BLANK_BYTES_MAX) return false;
  return (await readFile(file)).every((byte) => byte === 0);
}
