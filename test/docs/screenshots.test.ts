/** The pictures of the documentation: each has a scene, is small and is shown; the script that takes them runs. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { fileOf, SCENES } from '../../scripts/screenshots/scenes.js';
import { run } from '../support/command.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { ROOT } from './support/page.js';

const IMAGES = path.join(ROOT, 'docs/images');
const PICTURE_BYTES_MAX = 150_000;
const LOOP_BYTES_MAX = 1_500_000;
/** Drawn by hand. */
const DRAWN = ['parts.svg', 'badge-licence.svg', 'badge-node.svg'];

const bytesMax = (file: string) => (file.endsWith('.webp') ? LOOP_BYTES_MAX : PICTURE_BYTES_MAX);

it('each picture has a scene and is small', async () => {
  const names = Object.entries(SCENES).map(([name, scene]) => path.basename(fileOf(IMAGES, name, scene)));
  const files = (await readdir(IMAGES)).filter((file) => !DRAWN.includes(file));
  expect(files.sort()).toEqual(names.sort());
  const sizes = await Promise.all(
    files.map(async (file) => [file, (await stat(path.join(IMAGES, file))).size]),
  );
  expect(sizes.filter(([file, size]) => Number(size) > bytesMax(String(file)))).toEqual([]);
});

it('each picture is shown on a page', async () => {
  const folders = ['', 'how-to', 'explanation', 'design', 'tutorial', 'reference'];
  const files = await Promise.all(
    folders.map(async (folder) => {
      const place = path.join(ROOT, 'docs', folder);
      const names = (await readdir(place)).filter((name) => name.endsWith('.md'));
      return names.map((name) => path.join(place, name));
    }),
  );
  const texts = [path.join(ROOT, 'README.md'), ...files.flat()].map((file) => readFile(file, 'utf8'));
  const pages = (await Promise.all(texts)).join('\n');
  const pictures = await readdir(IMAGES);
  expect(pictures.filter((name) => !pages.includes(`images/${name})`))).toEqual([]);
});

it(
  'the script takes a picture and a loop from the running product, and leaves equal pictures alone',
  async () => {
    const out = await mkdtemp(path.join(tmpdir(), 'isccd-pictures-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    const take = async () => {
      const args = ['scripts/screenshots/main.ts', '--', 'codes-result', 'find-by-file', '--out', out];
      const { code, stdout, stderr } = await run(path.join(ROOT, 'node_modules/.bin/vite-node'), args, {
        cwd: ROOT,
      });
      expect(code, stderr).toBe(0);
      return stdout;
    };
    expect(await take()).not.toContain('unchanged');
    const picture = await sharp(await readFile(path.join(out, 'codes-result.png'))).stats();
    expect(picture.entropy).toBeGreaterThan(1);
    const loop = await sharp(path.join(out, 'find-by-file.webp'), { animated: true }).metadata();
    expect(loop).toMatchObject({ loop: 0 });
    expect(loop.pages).toBeGreaterThan(2);
    expect((await take()).match(/unchanged/g)).toHaveLength(2);
  },
  INSTALL_MAX_MS,
);
