/**
 * `compose.cluster.yaml` as a file: valid by the Compose Specification, and complete. `test/cluster` starts its services and
 * commands without a container engine.
 */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { ALL_VARIABLES } from '../../src/platform/config/all.js';
import {
  COMPOSE_FILE,
  type ComposeService,
  compose,
  INSTANCES,
  instancesOf,
  interpolated,
} from '../cluster/support/compose.js';
import { run } from '../support/command.js';
import { INSTALL_MAX_MS, pythonWith } from '../support/set-up.js';
import { ROOT } from './support/dockerfile.js';

/** The crate `compose_spec` for Python: the Compose Specification as types. */
const VALIDATOR = 'compose-spec==0.2.1';
const VALIDATE =
  'import sys, compose_spec; compose_spec.PyOptions().from_yaml(open(sys.argv[1]).read()).validate()';
const NEEDED = [
  'APP_SECRET_KEY',
  'INDEXSVC_API_SECRET',
  'AWS_SECRET_ACCESS_KEY',
  'POSTGRES_PASSWORD',
  'REDIS_PASSWORD',
];
const FILLED = Object.fromEntries(NEEDED.map((name) => [name, 'secret']));
const template = await readFile(path.join(ROOT, 'ops/cluster/nginx/isccd.conf.template'), 'utf8');
const instances = INSTANCES.map((name) => [name, compose.services[name] as ComposeService] as const);

/** The error of the validator; empty if the file is valid. */
async function problemOf(text: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-compose-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'compose.json');
  // Merge keys and variables are resolved before a file is validated.
  await writeFile(file, JSON.stringify(parse(interpolated(text, FILLED), { merge: true })));
  const { stderr } = await run(await pythonWith(VALIDATOR), ['-c', VALIDATE, file]);
  return stderr;
}

it('is valid by the Compose Specification', { timeout: INSTALL_MAX_MS }, async () => {
  const text = await readFile(COMPOSE_FILE, 'utf8');
  expect(await problemOf(text)).toBe('');
  expect(await problemOf(text.replace('cap_drop: [ALL]', 'cap_drop: 5'))).toContain('cap_drop');
  expect(await problemOf(text.replaceAll('healthcheck:', 'healthchek:'))).toContain('healthchek');
  expect(await problemOf(await readFile(path.join(ROOT, 'compose.yaml'), 'utf8'))).toBe('');
});

it('names what .env must set', () => {
  const text = JSON.stringify(compose);
  expect(() => interpolated(text, FILLED)).not.toThrow();
  for (const name of NEEDED) {
    const { [name]: _, ...others } = FILLED;
    expect(() => interpolated(text, others)).toThrow(name);
  }
});

it('has two equal instances of each service, which nginx and no other service names', () => {
  const upstreams = [...template.matchAll(/^ +server ([a-z]+-\d):(\d+) /gm)].map(([, name]) => name);
  expect(upstreams.sort()).toEqual([...INSTANCES].sort());
  for (const service of SERVICE_NAMES) {
    const [one, two, ...more] = instancesOf(service).map((name) => {
      const { volumes, networks, ...rest } = compose.services[name] as ComposeService;
      return rest;
    });
    expect(more).toEqual([]);
    expect(one).toEqual(two);
    expect(one).toMatchObject({ read_only: true, command: ['serve', service] });
  }
  for (const [name, { environment }] of Object.entries(compose.services))
    for (const instance of INSTANCES)
      expect(JSON.stringify(environment ?? {}), name).not.toMatch(new RegExp(`(?<![a-z])${instance}`));
});

it('closes all routes that need the key to all but the operators', async () => {
  const [search = ''] = template.match(/server_name search\.[\s\S]*?\n}/) ?? [];
  const document = JSON.parse(await readFile(path.join(ROOT, 'openapi/search.json'), 'utf8')) as {
    readonly paths: Readonly<Record<string, object>>;
  };
  const routes = Object.entries(document.paths).filter(([, one]) =>
    JSON.stringify(one).includes('ApiKeyAuth'),
  );
  expect(routes.length).toBeGreaterThan(5);
  for (const [route] of routes) {
    const prefix = `/${route.split('/')[1]}`;
    const location = new RegExp(`location ${prefix} {\\s+if \\(\\$isccd_operator = 0\\) { return 403; }`);
    expect([prefix, search]).toEqual([prefix, expect.stringMatching(location)]);
  }
});

it('sets variables that exist, and drains for longer than nginx keeps idle connections', () => {
  const known = new Set(ALL_VARIABLES.map(({ name }) => name));
  for (const [name, { environment = {} }] of instances) {
    const unknown = Object.keys(environment).filter((one) => !known.has(one) && !one.startsWith('AWS_'));
    expect([name, unknown]).toEqual([name, []]);
    const idle = [...template.matchAll(/keepalive_timeout (\d+)s/g)].map(([, seconds]) => Number(seconds));
    expect(idle).toHaveLength(SERVICE_NAMES.length);
    expect(Number(environment.ISCCD_DRAIN_SECONDS)).toBeGreaterThan(Math.max(...idle));
  }
});

it('refers to volumes, services and files that exist', async () => {
  const used = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
  const [files, named] = [
    used.filter((one) => one.startsWith('.')),
    used.filter((one) => !one.startsWith('.')),
  ];
  expect(named.map((one) => one.split(':')[0]).sort()).toEqual(Object.keys(compose.volumes).sort());
  for (const file of files) await stat(path.join(ROOT, file.split(':')[0] as string));
  for (const [name, { depends_on = [] }] of Object.entries(compose.services)) {
    const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    for (const one of needed) expect(Object.keys(compose.services), name).toContain(one);
  }
});

it('starts OpenSearch only as a profile', () => {
  const optional = Object.entries(compose.services).filter(([, { profiles }]) => profiles !== undefined);
  expect(optional.map(([name]) => name)).toEqual(['opensearch-1', 'opensearch-2', 'opensearch-3']);
});
