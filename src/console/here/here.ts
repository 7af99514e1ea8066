/** Codes files in workers of the page, so that they do not leave this computer. */
import { filled, t } from '../language.js';
import type { Coded, News, Order, Reason } from './messages.js';

/** Whether this server offers the module that decodes files in the page. */
export const canCodeHere = document.documentElement.dataset.coder === 'on';

const WORKER = '/static/coder.js';

/** What came of a file: its code, or why only the server can make it. */
export type Attempt = { readonly coded: Coded } | { readonly reason: string };

/** Workers that wait for a file. Each has loaded the module. */
const idle: Worker[] = [];

function reasonText(reason: Reason): string {
  return 'text' in reason ? filled(reason.text, reason.values) : reason.message;
}

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
      reject(new Error(t('Cancelled.')));
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
          return resolve({ reason: reasonText(data.reason) });
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end(false);
      resolve({ reason: t('this page could not start its decoders ({0})', event.message ?? 'Worker') });
    };
    worker.postMessage(order);
  });
}
