/** TDM reservations in a file that is an HTML page. */
import { open } from 'node:fs/promises';
import { HEAD_BYTES_MAX, metaFields, pageText } from '../../../content/html-rights.js';
import type { RightsField } from '../../../content/rights.js';

export async function htmlFields(path: string): Promise<RightsField[]> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES_MAX), 0, HEAD_BYTES_MAX, 0);
    return metaFields(pageText(buffer.subarray(0, bytesRead)));
  } finally {
    await handle.close();
  }
}
