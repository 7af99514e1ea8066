/** Text through the addon: results, forms of input, and errors that name the field and the rule. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';

const fixtures = path.resolve(import.meta.dirname, '../fixtures/codes');

function cases<T>(file: string): T[] {
  return JSON.parse(readFileSync(path.join(fixtures, file), 'utf8')).cases;
}

interface TextCase {
  text: string;
  text_clean: string;
  text_collapse: string;
  text_code: { characters: number; '64': string; '256': string };
  text_code_after_clean_256: string;
}

interface SimprintCase {
  text: string;
  CONTENT_TEXT_V0: string[];
  features: { byte_offsets: number[]; byte_sizes: number[]; char_offsets: number[]; char_sizes: number[] };
  sdk_0_9_7_kept_chunks: number;
}

interface MetaCase {
  name: string;
  description: string | null;
  meta: string | object | null;
  '256': string;
  out_name: string;
  out_description: string | null;
  out_meta: string | null;
  metahash: string;
  error?: string;
}

describe('text', () => {
  it('has the same results from bytes and from strings', async () => {
    for (const { text, ...expected } of cases<TextCase>('text.json')) {
      for (const form of [text, Buffer.from(text)]) {
        expect(await native.textClean(form)).toBe(expected.text_clean);
        expect(await native.textCollapse(form)).toBe(expected.text_collapse);
        const { characters } = expected.text_code;
        expect(await native.textCode(form, 64)).toEqual({ iscc: expected.text_code['64'], characters });
        expect(await native.textCode(form, 256)).toEqual({ iscc: expected.text_code['256'], characters });
        const content = await native.textContent(form, 256);
        expect(content.iscc).toBe(expected.text_code_after_clean_256);
        expect(content.features).toBeUndefined();
      }
    }
  });

  it('has simprints, with positions in bytes or code points', async () => {
    for (const { text, ...expected } of cases<SimprintCase>('simprints.json')) {
      const bytes = Buffer.from(text);
      expect(await native.simprints(bytes)).toEqual(expected.CONTENT_TEXT_V0);
      const { features: all } = await native.textContent(bytes, 256, { byteOffsets: true, compat: '0.9.5' });
      expect(all?.simprints).toEqual(expected.CONTENT_TEXT_V0);
      expect([...(all?.offsets ?? [])]).toEqual(expected.features.byte_offsets);
      expect([...(all?.sizes ?? [])]).toEqual(expected.features.byte_sizes);
      const kept = expected.sdk_0_9_7_kept_chunks;
      const { features: newer } = await native.textContent(text, 256, {});
      expect([...(newer?.offsets ?? [])]).toEqual(expected.features.char_offsets.slice(0, kept));
      expect([...(newer?.sizes ?? [])]).toEqual(expected.features.char_sizes.slice(0, kept));
      expect((await native.textContent(bytes, 256, {})).features).toEqual(newer);
    }
  });

  it.each([
    ['a lone surrogate', 'ab\ud800c', 'text: lone surrogate at UTF-16 index 2'],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff]), 'text: not UTF-8 from byte 1'],
  ])('rejects %s', async (_, text, message) => {
    for (const refused of [native.textCode(text, 64), native.textClean(text), native.simprints(text)])
      await expect(refused).rejects.toThrow(message);
  });

  it('rejects unknown lengths and releases', async () => {
    await expect(native.textCode('a', 65)).rejects.toThrow();
    await expect(native.textContent('a', 256, { compat: '0.9.6' })).rejects.toThrow('compat');
  });
});

describe('metadata', () => {
  it('has the Meta-Code of the reference', async () => {
    for (const { name, description, meta, ...expected } of cases<MetaCase>('meta.json')) {
      const code = native.metaCode({ name, ...optional(description, meta) }, 256);
      if (expected.error !== undefined) {
        await expect(code).rejects.toThrow(/^(name|meta): /);
        continue;
      }
      const made = await code;
      expect(made.iscc).toBe(expected['256']);
      expect(made.name).toBe(expected.out_name);
      expect(made.description ?? null).toBe(expected.out_description);
      expect(made.meta ?? null).toBe(expected.out_meta);
      expect(made.metahash).toBe(expected.metahash);
    }
  });

  it('names the field with a lone surrogate', async () => {
    const lone = native.metaCode({ name: 'a', description: '\udfff' }, 64);
    await expect(lone).rejects.toThrow('description: lone surrogate at UTF-16 index 0');
  });
});

function optional(description: string | null, meta: string | object | null) {
  return {
    ...(description === null ? {} : { description }),
    ...(typeof meta === 'string' ? { meta } : {}),
    ...(meta !== null && typeof meta === 'object' ? { metaJson: JSON.stringify(meta) } : {}),
  };
}
