/** Content credentials of a file that got its code. */
import type { Lookup } from '../codes/job.js';
import { actionButton, bytesText, counted, element, errorLine, messageOf } from '../dom.js';
import { checkFile, checkLimit } from './api.js';
import { pictureUrl } from './picture.js';
import { credentialsView } from './result.js';

/** The check reads the file again, so larger files are sent only on request. */
const UNASKED_BYTES_MAX = 64 * 1024 * 1024;

export function credentialsLookup(): Lookup {
  return {
    title: 'Content credentials',
    run: async (_result, file, panel) => {
      const bytesMax = await checkLimit();
      if (bytesMax === 0) {
        panel.replaceChildren(element('p', {}, 'The resolver does not check files.'));
        return 'credentials not checked';
      }
      if (file.size > bytesMax) throw new Error(`The file is larger than ${bytesText(bytesMax)}.`);
      if (file.size <= UNASKED_BYTES_MAX) return show(file, panel);
      const ask = actionButton('Check this large file', () => {
        ask.disabled = true;
        show(file, panel).catch((error) => panel.replaceChildren(errorLine(messageOf(error))));
      });
      panel.replaceChildren(ask);
      return 'credentials not checked';
    },
  };
}

async function show(file: File, panel: HTMLElement): Promise<string> {
  const checked = await checkFile(file);
  panel.replaceChildren(...credentialsView(checked, await pictureUrl(file), 'h4'));
  const { length } = checked.matches;
  return length === 0 ? 'no manifest' : counted(length, 'manifest', 'manifests');
}
