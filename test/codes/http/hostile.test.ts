/** Malicious files: each gets a 422, and the next request works. */
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { zip } from '../../support/zip.js';
import type { Body } from '../support/client.js';
import { bodyOf, filenameHeader, postJson, upload, uploaded } from '../support/client.js';
import {
  docxBomb,
  epubOfManyParts,
  FILTER_BOMB,
  filmWithGaps,
  GIANTS,
  laughs,
  longVideo,
  nestedBoxes,
  pdfBomb,
  pngBomb,
  smallBoxes,
  talkativeDocx,
  wav,
} from '../support/hostile.js';
import { fileBytes } from '../support/reference.js';
import { type CodesServer, startCodes } from '../support/server.js';

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes({ config: { maxWorkers: 1 } });
});
afterAll(() => server?.close());

async function expectRefused(name: string, body: Body): Promise<string> {
  const response = await upload(server.url, name, body);
  const text = await response.text();
  expect([response.status, text.slice(0, 300)]).toEqual([
    422,
    expect.stringMatching(/^ISCC processing error\./),
  ]);
  await expectWorking();
  return text;
}

async function expectWorking(url = server.url): Promise<void> {
  expect((await uploaded(url, 'photo_a.png', fileBytes('photo_a.png'))).mode).toBe('image');
}

describe('images', () => {
  test('900 million pixels in 110 kB', async () => {
    const bomb = pngBomb();
    expect(bomb.byteLength).toBeLessThan(200_000);
    expect(await expectRefused('bomb.png', bomb)).toMatch(/limit/);
  });

  test.each(GIANTS)('%s header of the maximum size', async (extension, file) => {
    await expectRefused(`giant.${extension}`, file);
  });
});

describe('documents', () => {
  test('DOCX with a part of 300 MB', async () => {
    const bomb = docxBomb();
    expect(bomb.byteLength).toBeLessThan(2_000_000);
    expect(await expectRefused('bomb.docx', bomb)).toMatch(/limit/);
  });

  test('EPUB with too many entries', async () => {
    expect(await expectRefused('many.epub', epubOfManyParts())).toMatch(
      /exceeds a limit.*\(FILE_TOO_LARGE\)/,
    );
  });

  test('PDF page with 512 MB of spaces', { timeout: 200_000 }, async () => {
    const response = await upload(server.url, 'bomb.pdf', pdfBomb());
    // Either a limit is hit, or the page is read as empty.
    expect([201, 422]).toContain(response.status);
    await expectWorking();
  });

  test.each([
    [
      'svg',
      laughs('svg')
        .replace('<svg>', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>')
        .replace('</svg>', '</title></svg>'),
    ],
    ['xml', laughs('doc')],
  ])('billion laughs in %s', async (extension, source) => {
    await expectRefused(`laughs.${extension}`, source);
  });

  test('billion laughs in a part of a DOCX', async () => {
    await expectRefused(
      'laughs.docx',
      zip([
        ['[Content_Types].xml', '<Types/>'],
        ['word/document.xml', laughs('document')],
      ]),
    );
  });

  test('an external entity for a local file', async () => {
    const source =
      '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>a word &x;</d>';
    const response = await upload(server.url, 'file.xml', source, { query: '?granular=true' });
    expect([201, 422]).toContain(response.status);
    if (response.status === 201) expect((await bodyOf(response)).characters).toBeLessThan(20);
    await expectWorking();
  });

  test('100 000 nested elements', async () => {
    for (const [name, open, close] of [
      ['deep.html', '<div>', '</div>'],
      ['deep.xml', '<a>', '</a>'],
    ] as const) {
      const response = await upload(server.url, name, `${open.repeat(100_000)}word${close.repeat(100_000)}`);
      expect([201, 422]).toContain(response.status);
      await expectWorking();
    }
  });
});

describe('files that ask for too much work', () => {
  test.each([
    ['filter.svg', () => FILTER_BOMB],
    ['rate.wav', () => wav(1, 1_000_000)],
    ['boxes.mp4', () => smallBoxes()],
    ['boxes.m4a', () => smallBoxes()],
    ['boxes-inside.mp4', () => nestedBoxes()],
    ['gaps.avi', () => filmWithGaps()],
  ])('%s is refused, and innocent files next to it are not', { timeout: 300_000 }, async (name, make) => {
    const file = await make();
    const [text] = await Promise.all([expectRefused(name, file), expectWorking(), expectWorking()]);
    expect(text).toMatch(/asks for more work than its size allows.*\(FILE_TOO_COSTLY/);
  });

  test.each([
    ['boxes.mp4', () => smallBoxes()],
    ['rate.wav', () => wav(1, 1_000_000)],
  ])('%s gets no metadata', { timeout: 300_000 }, async (name, make) => {
    const stored = await fetch(`${server.url}/api/v1/media`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/octet-stream', ...filenameHeader(name) },
      body: make(),
    });
    const { media_id: id } = (await stored.json()) as { media_id: string };
    const response = await postJson(server.url, `/metadata/${id}`, { name: 'New' });
    expect([response.status, await response.text()]).toEqual([
      422,
      expect.stringContaining('FILE_TOO_COSTLY'),
    ]);
  });

  test('the same files with usual rates are read', { timeout: 300_000 }, async () => {
    expect((await uploaded(server.url, 'telephone.wav', wav(4000, 80_000))).mode).toBe('audio');
    const film = await filmWithGaps();
    // 25 frames per second again.
    Buffer.from(film.buffer).writeUInt32LE(1, Buffer.from(film.buffer).indexOf('strh') + 28);
    expect((await uploaded(server.url, 'film.avi', film)).mode).toBe('video');
  });
});

describe('long-running jobs', () => {
  let video: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    video = await longVideo();
  });

  const limited = async (limits: object, config: object = {}) => {
    const started = await startCodes({
      config: { maxWorkers: 1, ...config },
      workers: { limits },
      servesMetrics: true,
    });
    onTestFinished(() => started.close());
    return started.url;
  };

  /** Number of jobs of videos with an outcome, for which there are alerts. */
  const jobs = async (url: string, outcome: string) => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const line = new RegExp(
      `^isccd_codes_jobs_total\\{type="content video",outcome="${outcome}"\\} (\\d+)$`,
      'm',
    );
    return Number(line.exec(metrics)?.[1] ?? 0);
  };

  test('are killed at the time limit', async () => {
    const url = await limited({}, { jobSecondsMax: 2 });
    const start = performance.now();
    const response = await upload(url, 'long.mkv', video);
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('took too long')]);
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(await jobs(url, 'took too long')).toBe(1);
    await expectWorking(url);
  });

  test('wait in a bounded queue; further requests get a 503 with Retry-After', async () => {
    const url = await limited({ queuedJobsMax: 1 }, { jobSecondsMax: 3 });
    const answers = await Promise.all([1, 2, 3, 4].map(() => upload(url, 'long.mkv', video)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([422, 422, 503, 503]);
    for (const busy of answers.filter(({ status }) => status === 503)) {
      expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await busy.text()).toMatch(/^Service Unavailable - .*try again in \d+ s/);
    }
    expect(await jobs(url, 'busy')).toBe(2);
    await expectWorking(url);
  });

  test('do not delay other clients', async () => {
    const url = await limited({}, { jobSecondsMax: 60 });
    const stop = new AbortController();
    const slow = upload(url, 'long.mkv', video, { signal: stop.signal }).catch(() => 'aborted');
    const metrics = async () => (await fetch(`${url}/metrics`)).text();
    await expect.poll(metrics, { timeout: 30_000 }).toMatch(/^isccd_codes_jobs_running 1$/m);
    // Another address of this machine is another client.
    const other = new Agent({ localAddress: '127.0.0.2' });
    onTestFinished(() => other.close());
    const headers = { 'Content-Type': 'application/octet-stream', ...filenameHeader('photo_a.png') };
    const body = fileBytes('photo_a.png');
    const response = await request(`${url}/api/v1/iscc`, {
      method: 'POST',
      headers,
      body,
      dispatcher: other,
    });
    expect(response.statusCode).toBe(201);
    await response.body.dump();
    expect(await Promise.race([slow, 'still running'])).toBe('still running');
    stop.abort();
    expect(await slow).toBe('aborted');
  });

  test('are killed at the memory limit', async () => {
    const url = await limited({ workerRssMaxBytes: 150 * 1024 ** 2 });
    const response = await upload(url, 'large.docx', docxBomb());
    expect(response.status).toBe(422);
    await expectWorking(url);
  });
});

describe('embedded metadata', () => {
  test('is cut if it is excessively long', async () => {
    const file = talkativeDocx();
    expect(file.byteLength).toBeLessThan(1_000_000);
    const { media_id, creator, name } = await uploaded(server.url, 'talk.docx', file);
    expect(name).toBe('talk');
    expect(creator).toMatch(/^A creator, A creator/);
    const metadata = await (await fetch(`${server.url}/api/v1/metadata/${media_id}`)).text();
    for (const text of [`${creator}`, metadata]) expect(text.length).toBeLessThan(300_000);
  });
});
