/** Schemathesis: requests made from a service's OpenAPI document, and checks of the responses against it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { pythonWith } from './set-up.js';

const run = promisify(execFile);
const PACKAGE = 'schemathesis==4.32.5';
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** `positive_data_acceptance` is left out: the schema can't express every rule, such as base64 of a usable file name. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
  'use_after_free',
  'ensure_resource_availability',
];

/** The last one makes sequences of requests: it creates what later requests of a sequence read, change and delete. */
const PHASES = ['examples', 'coverage', 'fuzzing', 'stateful'];

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

/** Four services over two transports. */
const RUNS = 8;

export interface Fuzz {
  readonly url: string;
  readonly transport: keyof typeof CONFIGS;
  /** Examples per operation, repeated until the time is over. */
  readonly examples: number;
  /** Time of the runs of all services over all transports; infinite: the examples once. */
  readonly minutes: number;
  readonly seed: number;
  /** Ids of operations that are left out. */
  readonly exclude?: readonly string[];
  /** Ids of operations that accept more than they document. */
  readonly lenient?: readonly string[];
}

const CHECKS_CONFIG = `[checks]
enabled = false
${CHECKS.map((check) => `${check}.enabled = true\n`).join('')}`;

/** Requests that the schema forbids may succeed. All other checks remain. */
const lenientConfig = (id: string): string => `[[operations]]
include-operation-id = "${id}"
[operations.checks]
negative_data_rejection.enabled = false
`;

/** Path of the program, which the first call installs. */
export async function schemathesis(): Promise<string> {
  return path.join(path.dirname(await pythonWith(PACKAGE)), 'schemathesis');
}

/** Fuzzes a service. `requests` is the number of generated test cases. */
export async function fuzz({
  url,
  transport,
  examples,
  minutes,
  seed,
  exclude = [],
  lenient = [],
}: Fuzz): Promise<{ passed: boolean; requests: number; output: string }> {
  const program = await schemathesis();
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-schemathesis-'));
  const config = path.join(folder, 'schemathesis.toml');
  // Some responses take seconds, and longer on a busy machine.
  const sections = [CONFIGS[transport], CHECKS_CONFIG, ...lenient.map(lenientConfig)];
  await writeFile(config, `request-timeout = 60.0\n${sections.join('')}`);
  const args = [
    ...['--config-file', config, 'run', `${url}/docs/openapi.json`, '--no-color'],
    ...['--max-examples', String(examples), '--seed', String(seed), '--workers', '1'],
    ...['--phases', PHASES.join(',')],
    ...(Number.isFinite(minutes) ? ['--max-time', String(Math.ceil((minutes * 60) / RUNS))] : []),
    ...exclude.flatMap((id) => ['--exclude-operation-id', id]),
  ];
  try {
    const { passed, output } = await run(program, args, { cwd: folder, maxBuffer: OUTPUT_BYTES_MAX }).then(
      ({ stdout }) => ({ passed: true, output: stdout }),
      (error: { stdout?: string; message: string }) => ({
        passed: false,
        output: `${error.stdout ?? ''}\n${error.message}`,
      }),
    );
    return { passed, output, requests: Number(/(\d+) generated/.exec(output)?.[1] ?? 0) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
