import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { type CodesServer, startCodes, TRANSPORTS } from '../support/server.js';

const run = promisify(execFile);
const VENV = fileURLToPath(new URL('../../.tmp/schemathesis', import.meta.url));
const PROGRAM = path.join(VENV, 'bin', 'schemathesis');
const PACKAGE = 'schemathesis==4.32.5';
const INSTALL_MAX_MS = 240_000;
const RUN_MAX_MS = 150_000;

/** `positive_data_acceptance` is left out: the schema can't express every rule, such as base64 of a usable file name. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
];

/**
 * uWebSockets.js does not respond to unknown methods such as QUERY, nor to header names with characters other than
 * letters, digits and hyphens. Tests of the HTTP layer document this.
 */
const CONFIGS = {
  uws: `[generation]
allow-extra-parameters = false
[phases.coverage]
unexpected-methods = ["PUT", "PATCH", "DELETE", "POST", "GET", "TRACE"]
`,
  node: '',
};

beforeAll(async () => {
  if (existsSync(PROGRAM)) return;
  await mkdir(path.dirname(VENV), { recursive: true });
  await run('python3', ['-m', 'venv', VENV]);
  await run(path.join(VENV, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', PACKAGE]);
}, INSTALL_MAX_MS);

test.each(TRANSPORTS)(
  'the service conforms to its OpenAPI document (%s)',
  { timeout: RUN_MAX_MS },
  async (transport) => {
    const server = await startCodes({ transport, config: { maxUploadBytes: 1_000_000 } });
    try {
      const { passed, output } = await fuzz(server, CONFIGS[transport]);
      expect(passed, output).toBe(true);
      expect(Number(/(\d+) generated/.exec(output)?.[1])).toBeGreaterThan(100);
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

async function fuzz(
  { url, folder }: CodesServer,
  settings: string,
): Promise<{ passed: boolean; output: string }> {
  const config = path.join(folder, 'schemathesis.toml');
  // Some responses take seconds, and longer on a busy machine.
  await writeFile(config, `request-timeout = 60.0\n${settings}`);
  const limits = [
    '--max-examples',
    '12',
    '--phases',
    'examples,coverage,fuzzing',
    '--workers',
    '1',
    '--seed',
    '1',
  ];
  const common = ['--config-file', config, 'run', `${url}/docs/openapi.json`, '--no-color'];
  const finished = run(PROGRAM, [...common, '--checks', CHECKS.join(','), ...limits], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  });
  return finished.then(
    ({ stdout }) => ({ passed: true, output: stdout }),
    (error: { stdout?: string; message: string }) => ({
      passed: false,
      output: `${error.stdout ?? ''}\n${error.message}`,
    }),
  );
}
