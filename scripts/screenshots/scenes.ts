/**
 * The table of pictures: which page, what a user does there, and which part is shown. To add a picture, add an entry; its
 * file is `docs/images/NAME.png`, or `NAME.webp` for a loop.
 */
import path from 'node:path';
import type { Page } from 'playwright-core';
import { operator, type Stage, upload } from './stage.js';

export interface Scene {
  /** Does what the picture shows and leaves the page at its end. A loop calls `frame` after each step. */
  readonly act: (page: Page, stage: Stage, frame: Frame) => Promise<void>;
  /** Selector of the part that is shown. Default: the whole page. */
  readonly part?: string;
  /** Size of the window. The picture is as high as its page unless this is a loop. */
  readonly width?: number;
  readonly height?: number;
  /** Whether the frames become an animation. */
  readonly isLoop?: boolean;
}

/** Takes a frame of a loop that is shown for this long. */
export type Frame = (ms: number) => Promise<void>;

export const SCENES: Readonly<Record<string, Scene>> = {
  'codes-result': {
    part: '#result',
    width: 1200,
    act: async (page, { url, files }) => {
      await page.goto(url.codes);
      await page.getByText('Options').click();
      await page.getByRole('checkbox', { name: 'Find matches' }).uncheck();
      await page.getByRole('checkbox', { name: 'Find manifests' }).uncheck();
      await page.getByLabel('Choose files').setInputFiles(files.original);
      await page.getByText('Done: ').first().waitFor();
      await loaded(page);
    },
  },
  'resolver-check': {
    part: '#check-result',
    act: async (page, stage) => {
      await page.goto(`${stage.url.resolver}/#tab=check`);
      await choose(page, stage);
      await check(page);
    },
  },
  'admin-overview': {
    width: 1100,
    act: logIn,
  },
  'admin-manifests': {
    width: 1500,
    act: async (page, stage) => {
      await upload(stage, MANIFESTS);
      await logIn(page, stage);
      await page.goto(`${stage.url.store}/admin/manifests/?sort=title`);
      await page.getByRole('heading', { name: /^\d+ manifests$/ }).waitFor();
      await page.getByRole('row').nth(1).getByRole('checkbox').check();
    },
  },
  'admin-manifest': {
    width: 1100,
    part: 'main',
    act: async (page, stage) => {
      await logIn(page, stage);
      await page.goto(`${stage.url.store}/admin/manifests/?signer=isccd+demo`);
      await page.getByRole('row').nth(1).getByRole('rowheader').getByRole('link').click();
      await page.getByRole('heading', { name: 'Bindings' }).waitFor();
      await loaded(page);
    },
  },
  'find-by-file': {
    isLoop: true,
    height: 900,
    act: async (page, stage, frame) => {
      await page.goto(stage.url.codes);
      await page.locator('html[data-ready]').waitFor({ state: 'attached' });
      await frame(2000);
      await page.getByLabel('Choose files').setInputFiles(stage.files.copy);
      await page.locator('.state', { hasText: 'manifest' }).waitFor();
      await loaded(page);
      await frame(4000);
      await page.evaluate(`document.querySelector('.part + .part').scrollIntoView()`);
      await frame(4000);
    },
  },
};

/** Fixtures of which the list shows titles, signers and algorithms. */
const MANIFESTS = ['third-party-c2pa-rs-jpeg', 'ok-ed25519', 'ok-es256-iscc4', 'ok-untrusted'];

async function logIn(page: Page, stage: Stage): Promise<void> {
  const { name, password } = await operator(stage);
  await page.goto(`${stage.url.store}/admin/`);
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

async function choose(page: Page, { files }: Stage): Promise<void> {
  await page.locator('#check-file').setInputFiles(files.copy);
  await page.getByAltText('The chosen picture').waitFor();
  await loaded(page);
}

async function check(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send and check' }).click();
  await page.getByRole('heading', { name: 'Result' }).waitFor();
  await loaded(page);
}

/** Waits until every picture of the page is decoded. */
async function loaded(page: Page): Promise<void> {
  await page.waitForFunction('[...document.images].every((image) => image.complete)');
}

/** File of a scene's picture. */
export function fileOf(folder: string, name: string, { isLoop = false }: Scene): string {
  return path.join(folder, `${name}.${isLoop ? 'webp' : 'png'}`);
}
