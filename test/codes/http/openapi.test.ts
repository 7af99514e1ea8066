import { beforeAll, expect, test } from 'vitest';
import { fuzz, schemathesis } from '../../support/schemathesis.js';
import { INSTALL_MAX_MS } from '../../support/set-up.js';
import { torture } from '../../support/torture.js';
import { startCodes, TRANSPORTS } from '../support/server.js';

const { size: EXAMPLES, minutes, seed, report } = torture('schema');
const RUN_MAX_MS = 150_000 + EXAMPLES * 10_000;

beforeAll(schemathesis, INSTALL_MAX_MS);

test.each(TRANSPORTS)(
  'the service conforms to its OpenAPI document (%s)',
  { timeout: RUN_MAX_MS },
  async (transport) => {
    const server = await startCodes({ transport, config: { maxUploadBytes: 1_000_000 } });
    try {
      const { url } = server;
      const { passed, output, requests } = await fuzz({
        url,
        transport,
        examples: EXAMPLES,
        minutes,
        seed,
      });
      expect(passed, output).toBe(true);
      expect(requests).toBeGreaterThan(100);
      report({ tried: requests, survived: requests, worst: `codes, ${transport}` });
    } finally {
      await server.close();
    }
  },
);

test('the JSON and YAML documents contain every specified route', async () => {
  const server = await startCodes();
  try {
    const document = await (await fetch(`${server.url}/docs/openapi.json`)).json();
    const operations = Object.entries((document as { paths: Record<string, object> }).paths).flatMap(
      ([route, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${route.replace('/api/v1', '')}`),
    );
    expect(operations).toEqual(
      expect.arrayContaining([
        'POST /iscc',
        'GET /iscc/{media_id}',
        'POST /media',
        'GET /media/{media_id}',
        'DELETE /media/{media_id}',
        'GET /metadata/{media_id}',
        'POST /metadata/{media_id}',
        'GET /explain/{iscc}',
        'POST /simprint',
      ]),
    );
    const { parse } = await import('yaml');
    expect(parse(await (await fetch(`${server.url}/docs/openapi.yaml`)).text())).toEqual(document);
  } finally {
    await server.close();
  }
});
