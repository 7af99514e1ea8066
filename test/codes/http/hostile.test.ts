/** Files that are made to hurt: each costs its own request a 422, and the next request works. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Body } from '../support/client.js';
import { bodyOf, upload, uploaded } from '../support/client.js';
import {
  docxBomb,
  epubOfManyParts,
  GIANTS,
  laughs,
  longFilm,
  pdfBomb,
  pngBomb,
  talkativeDocx,
  zip,
} from '../support/hostile.js';
import { fileBytes } from '../support/reference.js';
import { type CodesServer, startCodes } from '../support/server.js';

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes({ config: { maxWorkers: 1 } });
});
afterAll(() => server?.close());

async function refused(name: string, body: Body): Promise<string> {
  const response = await upload(server.url, name, body);
  const text = await response.text();
  expect([response.status, text.slice(0, 300)]).toEqual([
    422,
    expect.stringMatching(/^ISCC processing error\./),
  ]);
  await worksStill();
  return text;
}

async function worksStill(url = server.url): Promise<void> {
  expect((await uploaded(url, 'photo_a.png', fileBytes('photo_a.png'))).mode).toBe('image');
}

describe('images', () => {
  test('of 900 million pixels in 110 kB', async () => {
    const bomb = pngBomb();
    expect(bomb.byteLength).toBeLessThan(200_000);
    expect(await refused('bomb.png', bomb)).toMatch(/limit/);
  });

  test.each(GIANTS)('%s with a header of the largest size', async (extension, file) => {
    await refused(`giant.${extension}`, file);
  });
});

describe('documents', () => {
  test('of 300 MB in one part', async () => {
    const bomb = docxBomb();
    expect(bomb.byteLength).toBeLessThan(2_000_000);
    expect(await refused('bomb.docx', bomb)).toMatch(/limit/);
  });

  test('of too many parts', async () => {
    expect(await refused('many.epub', epubOfManyParts())).toMatch(
      /more than 20000 entries|number of archive entries/,
    );
  });

  test('a page of half a gigabyte of nothing', { timeout: 200_000 }, async () => {
    const response = await upload(server.url, 'bomb.pdf', pdfBomb());
    // Cut at a limit, or read as the empty page that it is.
    expect([201, 422]).toContain(response.status);
    await worksStill();
  });

  test.each([
    [
      'svg',
      laughs('svg')
        .replace('<svg>', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>')
        .replace('</svg>', '</title></svg>'),
    ],
    ['xml', laughs('doc')],
  ])('entities that grow in %s', async (extension, source) => {
    await refused(`laughs.${extension}`, source);
  });

  test('entities that grow in a part of a document', async () => {
    await refused(
      'laughs.docx',
      zip([
        ['[Content_Types].xml', '<Types/>'],
        ['word/document.xml', laughs('document')],
      ]),
    );
  });

  test('an entity that names a file of this machine', async () => {
    const source =
      '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>a word &x;</d>';
    const response = await upload(server.url, 'file.xml', source, { query: '?granular=true' });
    expect([201, 422]).toContain(response.status);
    if (response.status === 201) expect((await bodyOf(response)).characters).toBeLessThan(20);
    await worksStill();
  });

  test('elements in each other a hundred thousand times', async () => {
    for (const [name, open, close] of [
      ['deep.html', '<div>', '</div>'],
      ['deep.xml', '<a>', '</a>'],
    ] as const) {
      const response = await upload(server.url, name, `${open.repeat(100_000)}word${close.repeat(100_000)}`);
      expect([201, 422]).toContain(response.status);
      await worksStill();
    }
  });
});

describe('work without end', () => {
  let film: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    film = await longFilm();
  });

  const limited = async (limits: object) => {
    const started = await startCodes({ config: { maxWorkers: 1 }, workers: { limits } });
    onTestFinished(() => started.close());
    return started.url;
  };

  test('is cut at the limit of time', async () => {
    const url = await limited({ jobDurationMaxMs: 2000 });
    const start = performance.now();
    const response = await upload(url, 'long.mkv', film);
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('took too long')]);
    expect(performance.now() - start).toBeLessThan(20_000);
    await worksStill(url);
  });

  test('waits in a queue with an end, and beyond it is told when to come again', async () => {
    const url = await limited({ jobDurationMaxMs: 3000, queuedJobsMax: 1 });
    const answers = await Promise.all([1, 2, 3, 4].map(() => upload(url, 'long.mkv', film)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([422, 422, 503, 503]);
    for (const busy of answers.filter(({ status }) => status === 503)) {
      expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await busy.text()).toMatch(/^Service Unavailable - .*try again in \d+ s/);
    }
    await worksStill(url);
  });

  test('needs more memory than a worker may have', async () => {
    const url = await limited({ workerRssMaxBytes: 150 * 1024 ** 2 });
    const response = await upload(url, 'large.docx', docxBomb());
    expect(response.status).toBe(422);
    await worksStill(url);
  });
});

describe('what files say about themselves', () => {
  test('without end in a small document is cut', async () => {
    const file = talkativeDocx();
    expect(file.byteLength).toBeLessThan(1_000_000);
    const { media_id, creator, name } = await uploaded(server.url, 'talk.docx', file);
    expect(name).toBe('talk');
    expect(creator).toMatch(/^A creator, A creator/);
    const metadata = await (await fetch(`${server.url}/api/v1/metadata/${media_id}`)).text();
    for (const said of [`${creator}`, metadata]) expect(said.length).toBeLessThan(300_000);
  });
});
