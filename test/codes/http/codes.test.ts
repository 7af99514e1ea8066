import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, postJson } from '../support/client.js';
import { type CodesServer, startCodes } from '../support/server.js';

interface ExplainCase {
  readonly input: string;
  readonly status: number;
  readonly body?: { readonly iscc: string };
}

interface SimprintCase {
  readonly text: string;
  readonly CONTENT_TEXT_V0: string[];
}

async function fixture<T>(name: string, key: string): Promise<T[]> {
  const file = new URL(`../../fixtures/codes/${name}`, import.meta.url);
  return (JSON.parse(await readFile(file, 'utf8')) as Record<string, T[]>)[key] ?? [];
}

/** The code without prefix and hyphens. */
function bare(code: string): string {
  return code
    .trim()
    .toUpperCase()
    .replace(/^ISCC:/, '')
    .replaceAll('-', '');
}

describe('explain and simprint', () => {
  let server: CodesServer;
  beforeAll(async () => {
    server = await startCodes();
    return () => server.close();
  });

  test('explains codes as the reference does', async () => {
    const cases = await fixture<ExplainCase>('codec.json', 'explain');
    expect(cases.length).toBeGreaterThan(400);
    for (const { input, status, body } of cases) {
      // These inputs are different paths.
      if (input.trim() === '' || input.includes('/')) continue;
      const response = await fetch(`${server.url}/api/v1/explain/${encodeURIComponent(input)}`);
      // The reference truncates codes of a wrong length and explains a different code. Here they are invalid.
      const isCut = status === 200 && bare(input) !== bare(body?.iscc ?? '');
      if (isCut && response.status === 400) continue;
      expect([response.status, input]).toEqual([status, input]);
      if (status === 200) expect(await bodyOf(response)).toEqual(body);
      else expect(await response.text()).toMatch(/^Invalid ISCC - ./);
    }
  });

  test('creates the recorded simprints', async () => {
    const cases = await fixture<SimprintCase>('simprints.json', 'cases');
    expect(cases.length).toBeGreaterThan(20);
    for (const { text, CONTENT_TEXT_V0 } of cases) {
      if (text === '') continue;
      const response = await postJson(server.url, '/simprint', { text });
      expect(await bodyOf(response)).toEqual({ CONTENT_TEXT_V0 });
    }
  });

  test('creates simprints of a text of 10 MB', async () => {
    const text = 'All human beings are born free and equal in dignity and rights. '.repeat(160_000);
    const response = await postJson(server.url, '/simprint', { text });
    expect(response.status).toBe(200);
    const { CONTENT_TEXT_V0 } = await bodyOf(response);
    // The text repeats before a chunk boundary is found, so every chunk has the maximum length.
    expect((CONTENT_TEXT_V0 as string[]).length).toBe(text.length / 4096);
  });
});
