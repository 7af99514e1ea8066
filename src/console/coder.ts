/** The worker of the page: it codes files, which stay on this computer. Its policy lets it load the module and nothing else. */

import { loadCodes, WasmError } from '../wasm/index.js';
import { codeOf, NeedsServer } from './here/file-code.js';
import type { News, Order, Reason } from './here/messages.js';
import { thumbnailOf } from './here/thumbnail.js';

/** The worker's own functions, which the types of pages do not have. */
const worker = self as unknown as { postMessage(news: News): void };
const loaded = loadCodes(fetch('/static/isccd.wasm'));

addEventListener('message', async ({ data }: MessageEvent<Order>) => {
  worker.postMessage(await newsOf(data));
});

async function newsOf(order: Order): Promise<News> {
  try {
    const onRead = (share: number) => worker.postMessage({ kind: 'read', share });
    const { result, hasCredentials } = await codeOf(await loaded, order, onRead);
    const { mode, width, height } = result;
    const thumbnail =
      mode === 'image' ? await thumbnailOf(order.file, Number(width), Number(height)) : undefined;
    const coded = { result: { ...result, ...(thumbnail && { thumbnail }) }, hasCredentials };
    return { kind: 'coded', coded };
  } catch (error) {
    return { kind: 'refused', reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): Reason {
  if (error instanceof NeedsServer) return { text: error.text, values: error.values };
  if (!(error instanceof WasmError))
    return { text: 'this page could not load its decoders ({0})', values: [String(error)] };
  return error.code === 'NO_DECODER'
    ? { text: 'this page has no decoder for it', values: [] }
    : { message: error.message };
}
