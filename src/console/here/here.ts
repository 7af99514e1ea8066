/** Codes files in workers of the page, so that they do not leave this computer. */
import type { Coded, News, Order } from './messages.js';

/** Whether this server offers the module that decodes files in the page. */
export const canCodeHere = document.documentElement.dataset.coder === 'on';

const WORKER = '/static/coder.js';

/** What came of a file: its code, or why only the server can make it. */
export type Attempt = { readonly coded: Coded } | { readonly reason: string };

/** Workers that wait for a file. Each has loaded the module. */
const idle: Worker[] = [];

/** Codes a file. @param onRead gets the share that has been read, 0 to 1 @throws if the signal aborts */
export function codeHere(
  order: Order,
  signal: AbortSignal,
  onRead: (share: number) => void,
): Promise<Attempt> {
  const worker = idle.pop() ?? new Worker(WORKER, { type: 'module' });
  return new Promise((resolve, reject) => {
    const end = (isUsable: boolean) => {
      signal.removeEventListener('abort', abort);
      [worker.onmessage, worker.onerror] = [null, null];
      if (isUsable) idle.push(worker);
      else worker.terminate();
    };
    const abort = () => {
      end(false);
      reject(new Error('Cancelled.'));
    };
    signal.addEventListener('abort', abort);
    worker.onmessage = ({ data }: MessageEvent<News>) => {
      switch (data.kind) {
        case 'read':
          return onRead(data.share);
        case 'coded':
          end(true);
          return resolve({ coded: data.coded });
        case 'refused':
          // After a failure, its memory may be large.
          end(false);
          return resolve({ reason: data.reason });
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end(false);
      resolve({ reason: `this page could not start its decoders (${event.message ?? 'no worker'})` });
    };
    worker.postMessage(order);
  });
}
