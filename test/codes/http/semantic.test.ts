import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INSTALL_MAX_MS, onnxRuntime, pythonPackage } from '../../support/set-up.js';
import { bodyOf, postJson, upload, uploaded } from '../support/client.js';
import { fileBytes } from '../support/reference.js';
import { type CodesServer, startCodes } from '../support/server.js';

const semantic = path.resolve(import.meta.dirname, '../../fixtures/codes/semantic');

let config = {};
let server: CodesServer;

beforeAll(async () => {
  const sct = await pythonPackage('iscc-sct==0.2.2');
  config = {
    onnxRuntime: await onnxRuntime(),
    semanticTextModel: path.join(semantic, 'text.onnx'),
    semanticTokenizer: path.join(sct, 'iscc_sct', 'tokenizer.json'),
    semanticImageModel: path.join(semantic, 'image.onnx'),
  };
  server = await startCodes({ config });
}, INSTALL_MAX_MS);
afterAll(() => server?.close());

const types = (units: readonly string[]) => units.map((unit) => unit.slice(5, 7));

test.each(['short_a.txt', 'report_a.docx', 'paper_a.pdf', 'photo_a.png', 'pic_a.avif', 'vec_a.svg'])(
  '%s has five units with semantic=true and four without',
  async (file) => {
    const kind = /\.(png|avif|svg)$/.test(file) ? 'E' : 'A';
    const five = await uploaded(server.url, file, fileBytes(file), { query: '?semantic=true' });
    expect(types(five.units)).toEqual(['AA', `C${kind}`, `E${kind}`, 'GA', 'IA']);
    const four = await uploaded(server.url, file, fileBytes(file));
    expect(four.units).toEqual(five.units.toSpliced(1, 1));
    const explained = await bodyOf(await fetch(`${server.url}/api/v1/explain/${five.iscc}`));
    expect(explained.readable).toMatch(/^ISCC-(TEXT|IMAGE)-V0-MSCDI-/);
    const whole = five.units.map((unit) => unit.slice(7));
    const parts = `${explained.decomposed}`.split('-');
    expect(parts).toHaveLength(5);
    // 64 bits of each unit: ten characters after the header contain only bits of the unit.
    expect(parts.map((unit) => unit.slice(3, 13))).toEqual(whole.map((unit) => unit.slice(1, 11)));
  },
);

test('granular features include semantic simprints', async () => {
  const features = async (query: string) =>
    (await uploaded(server.url, 'long_a.txt', fileBytes('long_a.txt'), { query })).features as
      | { maintype: string; simprints: string[]; offsets: number[]; sizes: number[] }[]
      | undefined;
  const both = await features('?semantic=true&granular=true');
  expect(both?.map(({ maintype }) => maintype)).toEqual(['semantic', 'content']);
  expect(both?.[0]?.simprints).toHaveLength(both?.[0]?.offsets.length ?? 0);
  expect(both?.[0]?.simprints.length).toBeGreaterThan(1);
  expect(await features('?semantic=true&granular=false')).toBeUndefined();
  expect((await features('?granular=true'))?.map(({ maintype }) => maintype)).toEqual(['content']);
});

test('audio, video and unsupported files have no semantic unit', async () => {
  for (const file of ['song_a.mp3', 'test_a.mp4', 'random_a.bin']) {
    const query = '?semantic=true';
    const { units } = await uploaded(server.url, file, fileBytes(file), { query });
    expect(types(units).some((type) => type.startsWith('C'))).toBe(false);
  }
});

test('/simprint returns semantic simprints of the submitted text', async () => {
  const text = 'Zwei Sätze.\tMit Tabulator.\n\n\n\nUnd ein Absatz.';
  const answer = await bodyOf(await postJson(server.url, '/simprint', { text }));
  expect(Object.keys(answer)).toEqual(['CONTENT_TEXT_V0', 'SEMANTIC_TEXT_V0']);
  expect(answer.SEMANTIC_TEXT_V0).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
});

test('query parameters override the configured defaults', async () => {
  const semanticServer = await startCodes({ config: { ...config, semanticDefault: true, granular: false } });
  try {
    const first = await uploaded(semanticServer.url, 'short_a.txt', fileBytes('short_a.txt'));
    expect(first.units).toHaveLength(5);
    expect(first.features).toBeUndefined();
    const overridden = await uploaded(semanticServer.url, 'short_a.txt', fileBytes('short_a.txt'), {
      query: '?semantic=false&granular=true',
    });
    expect(overridden.units).toHaveLength(4);
    expect(overridden.features).toHaveLength(1);
  } finally {
    await semanticServer.close();
  }
});

test.each([
  ['short_a.txt', { semanticTextModel: path.join(semantic, 'image.onnx') }],
  ['short_a.txt', { semanticTextModel: path.join(semantic, 'recorded.json') }],
  ['photo_a.png', { semanticImageModel: path.join(semantic, 'text.onnx') }],
  ['photo_a.png', { semanticImageModel: path.join(semantic, 'recorded.json') }],
])('%s with %o: an unsuitable model is no fault of the file', async (file, models) => {
  const broken = await startCodes({ config: { ...config, ...models } });
  try {
    for (const query of ['?semantic=true', '?semantic=true&fallback=sum']) {
      const response = await upload(broken.url, file, fileBytes(file), { query });
      expect(response.status).toBe(500);
      expect(await response.text()).toMatch(/the semantic model or its tokenizer does not work/);
    }
    const { units } = await uploaded(broken.url, file, fileBytes(file), { query: '?semantic=false' });
    expect(units).toHaveLength(4);
  } finally {
    await broken.close();
  }
});

test('a copy with embedded metadata has five units only if CODESDK_EXPERIMENTAL is on', async () => {
  const units = async (url: string) => {
    const { media_id } = await uploaded(url, 'report_a.docx', fileBytes('report_a.docx'), {
      query: '?semantic=true',
    });
    const copy = await postJson(url, `/metadata/${media_id}`, { name: 'Neu' });
    return (await bodyOf(copy)).units;
  };
  expect(await units(server.url)).toHaveLength(4);
  const experimental = await startCodes({ config: { ...config, experimental: true } });
  try {
    expect(await units(experimental.url)).toHaveLength(5);
  } finally {
    await experimental.close();
  }
});

test('a 422 names the missing ONNX runtime package', async () => {
  const without = await startCodes({ config: { ...config, onnxRuntime: '/nowhere' } });
  try {
    const response = await fetch(`${without.url}/api/v1/iscc?semantic=true`, {
      method: 'POST',
      headers: { 'X-Upload-Filename': Buffer.from('a.txt').toString('base64') },
      body: 'some text',
    });
    expect(response.status).toBe(422);
    expect(await response.text()).toMatch(/onnxruntime-node.*CODESDK_ONNXRUNTIME/);
    expect((await uploaded(without.url, 'a.txt', 'some text')).units).toHaveLength(4);
  } finally {
    await without.close();
  }
});
