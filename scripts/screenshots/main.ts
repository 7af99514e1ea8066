/**
 * `npm run screenshots -- [NAME…] [--out FOLDER]` takes the pictures of the documentation from the running product, so that
 * they stay true. Default: all, into `docs/images`. A file is only replaced if its picture differs visibly: identifiers differ
 * from run to run, and each version of the browser draws fonts a little differently. `npm run screenshots -- samples` draws the
 * files of `examples/media`.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../../test/support/launch-chromium.js';
import { encodeLoop, encodePicture, type Shot } from './encode.js';
import { looksSame } from './looks-same.js';
import { drawSamples } from './samples.js';
import { fileOf, SCENES, type Scene } from './scenes.js';
import { type Stage, setStage } from './stage.js';

const IMAGES = path.resolve(import.meta.dirname, '../../docs/images');
const STEP_MS_MAX = 40_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: IMAGES } },
});
if (positionals[0] === 'samples') {
  await drawSamples();
  process.exit(0);
}
const names = positionals.length > 0 ? positionals : Object.keys(SCENES);
const unknown = names.filter((name) => !(name in SCENES));
if (unknown.length > 0) {
  console.error(`isccd: unknown picture: ${unknown.join(', ')}; there are ${Object.keys(SCENES).join(', ')}`);
  process.exit(2);
}

await mkdir(values.out, { recursive: true });
const stage = await setStage();
try {
  const browser = await launchChromium();
  try {
    for (const name of names) await picture(browser, stage, name, SCENES[name] as Scene);
  } finally {
    await browser.close();
  }
} finally {
  await stage.close();
}

async function picture(browser: Browser, stage: Stage, name: string, scene: Scene): Promise<void> {
  const shots = await film(browser, stage, scene);
  const bytes = scene.isLoop ? await encodeLoop(shots) : await encodePicture(shots.at(-1)?.png as Buffer);
  const file = fileOf(values.out, name, scene);
  const isSame = existsSync(file) && (await looksSame(await readFile(file), bytes));
  if (!isSame) await writeFile(file, bytes);
  const { size } = await stat(file);
  console.log(`${path.basename(file)}: ${(size / 1000).toFixed(0)} kB${isSame ? ', unchanged' : ''}`);
}

async function film(browser: Browser, stage: Stage, scene: Scene): Promise<Shot[]> {
  const viewport = { width: scene.width ?? 900, height: scene.height ?? 700 };
  const context = await browser.newContext({ viewport, colorScheme: 'light', reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  const shots: Shot[] = [];
  const options = { animations: 'disabled', caret: 'hide' } as const;
  const shoot = async (ms: number): Promise<void> => {
    const png = await (scene.part === undefined
      ? page.screenshot({ ...options, fullPage: !scene.isLoop })
      : page.locator(scene.part).screenshot(options));
    shots.push({ png, ms });
  };
  await scene.act(page, stage, shoot);
  if (!scene.isLoop) await shoot(0);
  await context.close();
  return shots;
}
