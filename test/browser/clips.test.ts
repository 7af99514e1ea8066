/** Clips of films on the page: strips of time, in a real browser. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { hasProgram } from '../codes/support/recorded.js';
import { expectAccessible } from '../support/accessible.js';
import { dropFiles, LAUNCH_MS_MAX, screenshots } from '../support/chromium.js';
import { sendFile, startConsole, visitConsole } from '../support/console.js';
import { makeFilm } from '../support/films.js';

describe.skipIf(!hasProgram('ffmpeg'))('a clip of a film', () => {
  test(
    'shows on strips of time where it is in the film',
    async () => {
      const folder = await temporaryFolder();
      const place = (name: string) => path.join(folder, name);
      await makeFilm(1, 20, place('film.mp4'));
      const cut = ['-ss', '8', '-t', '6', '-i', place('film.mp4'), '-vf', 'scale=240:136'];
      execFileSync('ffmpeg', ['-loglevel', 'error', ...cut, place('clip.mp4')]);
      const { services, browser, stop } = await startConsole({ CODESDK_GRANULAR_MEDIA: 'true' });
      try {
        const page = await visitConsole(browser, services.url.codes);
        const drop = async (name: string) => {
          const bytes = await readFile(place(name));
          await dropFiles(page, 'body', [{ name, type: 'video/mp4', bytes }]);
          await sendFile(page, name);
          return page.locator('#jobs > li').filter({ hasText: name }).first();
        };
        const film = await drop('film.mp4');
        await film.getByText('Add to an index').click();
        await film.getByLabel(/^Index/).fill('films');
        await film.getByRole('button', { name: 'Add', exact: true }).click();
        await film.getByText(/^Added to films as ISCC:/).waitFor();
        const clip = await drop('clip.mp4');
        const strips = clip.locator('.strips');
        await strips.waitFor();
        const labels = await strips
          .getByRole('img')
          .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
        expect(labels).toEqual([
          expect.stringMatching(/^Your file: 0:0[01] to 0:0[56] out of 0:0[56]$/),
          expect.stringMatching(/^This match: 0:0[789] to 0:1[345] out of 0:(19|20)$/),
        ]);
        expect(await clip.textContent()).not.toMatch(/bytes \d+ to/);
        await expectAccessible(page);
        await screenshots(page, 'console-clips');
      } finally {
        await stop();
      }
    },
    2 * LAUNCH_MS_MAX,
  );
});
