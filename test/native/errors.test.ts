/** The error convention of the addon: a value, or a `NativeError` with a code from one list. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isNativeError, NATIVE_ERROR_CODES, native } from '../../src/native.js';

const sources = fileURLToPath(new URL('../../crates/native/src/', import.meta.url));
const read = (file: string) => readFileSync(path.join(sources, file), 'utf8');
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

describe('the list of codes', () => {
  it('is the same in Rust and TypeScript', () => {
    const rust = [...read('error.rs').matchAll(/Self::\w+ => "([A-Z_]+)"/g)].map(([, code]) => code);
    expect(rust).toEqual([...NATIVE_ERROR_CODES]);
  });

  it('has those of files, which the crate of media names', () => {
    const media = readFileSync(path.join(sources, '../../iscc-media/src/error.rs'), 'utf8');
    const names = [...media.matchAll(/=> "([A-Z_]+)"/g)].map(([, code]) => code);
    const [, list = ''] = /OF_FILES[^=]*= \[([^\]]*)\]/.exec(read('error.rs')) ?? [];
    const known = [...list.matchAll(/ErrorCode::(\w+)/g)].map(([, variant = '']) =>
      variant.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase(),
    );
    expect(names.length).toBeGreaterThan(5);
    expect(known.sort()).toEqual(names.sort());
  });
});

describe('every exported function', () => {
  const exported = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.rs'))
    .flatMap((file) =>
      [...read(file).matchAll(/#\[napi(?:\(([^\]]*)\))?\]\s+pub fn (\w+)/g)].map(
        ([, options = '', name]) => ({
          name: `${file} ${name}`,
          options,
        }),
      ),
    );

  it('catches panics', () => {
    expect(exported.length).toBeGreaterThan(50);
    expect(exported.filter(({ options }) => !/\bcatch_unwind\b/.test(options))).toEqual([]);
  });
});

describe('errors', () => {
  /** The error of a call, whether thrown or rejected. */
  async function errorOf(call: () => unknown): Promise<unknown> {
    try {
      await call();
    } catch (error) {
      return error;
    }
    throw new Error('the call succeeded');
  }

  it.each([
    ['INVALID_ARGUMENT', 'thrown', () => native.explain('nonsense')],
    ['INVALID_ARGUMENT', 'rejected', () => native.textClean(Buffer.from([255]))],
    [
      'NO_DECODER',
      'rejected',
      () =>
        native.textFileContent(fixture('README.md'), 'image/png', {
          granular: false,
          keepText: false,
          compat: '0.9.7',
        }),
    ],
    ['IO', 'rejected', () => native.sumFile(fixture('absent'))],
    ['NOT_JSON', 'rejected', () => native.jsonText(Buffer.from('{'))],
    ['SCHEMA_VIOLATION', 'rejected', () => native.jsonText(Buffer.from('{}'))],
    ['DAMAGED', 'rejected', () => native.videoCode(Buffer.from('nonsense'), 64)],
    ['NO_TEXT', 'thrown', () => new native.TextEmbedding().finish()],
    ['INVALID_ARGUMENT', 'rejected', () => native.openSearchEngine('nowhere')],
  ])('have the code %s when %s', async (code, _, call) => {
    const error = await errorOf(call);
    expect(isNativeError(error)).toBe(true);
    expect(error).toMatchObject({ code, message: expect.stringMatching(/./), stack: expect.any(String) });
  });

  it('of the search engine carry JSON for the client', async () => {
    const engine = await native.openSearchEngine('memory://');
    const missing = await errorOf(() => engine.getIndex('main'));
    expect(missing).toMatchObject({
      code: 'NOT_FOUND',
      message: "Index 'main' not found",
      detail: `"Index 'main' not found"`,
    });
    const invalid = await errorOf(() => engine.createIndex(Buffer.from('{}')));
    expect(isNativeError(invalid, 'SCHEMA_VIOLATION')).toBe(true);
    expect(JSON.parse((invalid as { detail: string }).detail)).toMatchObject([{ loc: ['body', 'name'] }]);
    await engine.close();
    expect(await errorOf(() => engine.listIndexes())).toMatchObject({ code: 'INVALID_STATE' });
  });

  it('from elsewhere are not native errors', () => {
    expect(isNativeError(Object.assign(new Error('full'), { code: 'ENOSPC' }))).toBe(false);
    expect(isNativeError({ code: 'BUSY' })).toBe(false);
    expect(isNativeError(Object.assign(new Error(), { code: 'BUSY' }), 'TIMEOUT')).toBe(false);
  });
});
