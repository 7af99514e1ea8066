/** `isccd check config`, as an operator runs it before starting services. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisReason } from '../../src/platform/redis/reason.js';
import { isccd } from '../support/command.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-check-'));
  await writeFile(path.join(folder, '.env'), 'CODEWEB_PORT=8100\nINDEXSVC_PORT=8110\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const check = (args: readonly string[], env: Record<string, string> = {}) =>
  isccd(['check', 'config', ...args], { cwd: folder, env: { ISCCD_DATA_DIR: folder, ...env } });

interface Line {
  readonly service: string;
  readonly name?: string;
  readonly value?: string;
  readonly origin?: string;
  readonly problem?: string;
}
const parsed = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

describe('a valid configuration', () => {
  it('is shown with the origin of each value', async () => {
    const { code, stdout } = await check(['codes', 'search', '--json'], { INDEXSVC_PORT: '9999' });
    const line = (name: string) => parsed(stdout).find((line) => line.name === name);
    expect(code).toBe(0);
    expect(line('CODEWEB_PORT')).toEqual({
      service: 'codes',
      name: 'CODEWEB_PORT',
      value: '8100',
      origin: '.env',
    });
    expect(line('INDEXSVC_PORT')).toMatchObject({ service: 'search', value: '9999', origin: 'environment' });
    expect(line('CODEWEB_HOST')).toMatchObject({ value: '127.0.0.1', origin: 'default' });
    expect(line('ISCCD_DATA_DIR')).toMatchObject({ service: 'common', value: folder });
    expect(new Set(parsed(stdout).map(({ service }) => service))).toEqual(
      new Set(['common', 'codes', 'search']),
    );
  });

  it('hides secrets', async () => {
    const secrets = {
      APP_SECRET_KEY: 'top secret',
      INDEXSVC_API_SECRET: 'top secret',
      DATABASE_URL: 'postgres://user:top secret@127.0.0.1:9/name',
    };
    for (const args of [[], ['--json']]) {
      const { code, stdout, stderr } = await check(args, secrets);
      const problem = 'DATABASE_URL: postgres://user@127.0.0.1:9/name cannot be used: ';
      expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
      expect(stdout).toContain('(hidden)');
      expect(stdout + stderr).not.toContain('top secret');
    }
  });

  it('shows (empty) for each variable without a value', async () => {
    const { stdout } = await check([]);
    expect(stdout).toMatch(/^ {2}RESOLVER_TEST_ALLOW +\(empty\) {2}\(default\)$/m);
    expect(stdout.split('\n').filter((line) => /^ {2}[A-Z]\w+ +\(default\)$/.test(line))).toEqual([]);
  });

  it('is only read, not written', async () => {
    expect((await check([])).code).toBe(0);
    expect(await readdir(folder)).toEqual(['.env']);
  });
});

describe('an invalid configuration', () => {
  const wrong = { CODEWEB_PORT: 'eighty', MSTORE_RATE_READ: '5', MSTORE_SECKEY: 'not a key' };

  it('is reported with one line per variable', async () => {
    const { code, stderr } = await check([], wrong);
    expect(code).toBe(1);
    const lines = stderr.trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe('isccd: CODEWEB_PORT="eighty" must be an integer from 0 to 65535');
    expect(lines[1]).toMatch(/^isccd: MSTORE_SECKEY=\(hidden\) must begin /);
    expect(lines[2]).toMatch(/^isccd: MSTORE_RATE_READ="5" must be a rate/);
  });

  it('is reported in JSON next to the value', async () => {
    const { code, stdout } = await check(['--json'], wrong);
    expect(code).toBe(1);
    const broken = parsed(stdout).filter(({ problem }) => problem !== undefined);
    expect(broken.map(({ name }) => name)).toEqual(['CODEWEB_PORT', 'MSTORE_SECKEY', 'MSTORE_RATE_READ']);
  });

  it('reports everything that is missing, and unknown variables, in one run', async () => {
    const env = { MSTORE_HOST: '0.0.0.0', CODEWEB_MAX_UPLAOD_SIZE: '5', ISCC_SEARCH_API_SECRET: 'key' };
    const { code, stderr } = await check([], env);
    expect(code).toBe(1);
    const searchProblem =
      'ISCC_SEARCH_API_SECRET is set, but INDEXSVC_API_SECRET is not: rename it, or the search service would accept requests without a key';
    expect(stderr.trim().split('\n')).toEqual([
      `isccd: ${searchProblem}`,
      'isccd: MSTORE_URL is required when MSTORE_HOST is not a loopback address',
      'isccd: APP_SECRET_KEY is required when MSTORE_HOST is not a loopback address',
      'isccd: CODEWEB_MAX_UPLAOD_SIZE is not a variable of isccd; did you mean CODEWEB_MAX_UPLOAD_SIZE?',
      'isccd: ISCC_SEARCH_API_SECRET is not a variable of isccd; did you mean INDEXSVC_API_SECRET?',
    ]);
    const more = await check([], { ...env, MSTORE_PORT: 'x', INDEXSVC_PORT: 'y', CODEWEB_PORT: 'z' });
    expect(more.stderr.trim().split('\n')).toHaveLength(8);
    const json = parsed((await check(['--json'], env)).stdout);
    expect(json.filter(({ problem }) => problem !== undefined)).toHaveLength(5);
  });

  it.each([
    [{ MSTORE_HOST: '0.0.0.0' }, /^MSTORE_URL is required when MSTORE_HOST is not a loopback address$/m],
    [{ RESOLVER_TEST_ALLOW: '127.0.0.1' }, /^RESOLVER_TEST_ALLOW=.* must be empty unless/],
    [{ MSTORE_TRUST_ANCHORS: '/nowhere.pem' }, /^MSTORE_TRUST_ANCHORS="\/nowhere.pem" can't be read/],
  ])('is detected between variables: %j', async (env, message) => {
    const { code, stderr } = await check([], env);
    expect(code).toBe(1);
    expect(stderr.trim().replace(/^isccd: /gm, '')).toMatch(message);
  });

  it.each([
    ['', 'ISCCD_DATA_DIR'],
    ['codes', 'CODEWEB_MEDIA_PATH'],
    ['search', 'INDEXSVC_INDEX_URI'],
    ['store', 'MSTORE_DATA_DIR'],
  ])('names a folder of %j that cannot be used', async (service, variable) => {
    const file = path.join(folder, '.env');
    const place = path.join(file, 'below');
    const value = variable === 'INDEXSVC_INDEX_URI' ? `lmdb://${place}` : place;
    const { code, stderr } = await check(service === '' ? [] : [service], { [variable]: value });
    expect([code, stderr]).toEqual([1, `isccd: ${variable}: ${file} is not a folder\n`]);
  });

  it('names lines of .env that are ignored', async () => {
    const place = await mkdtemp(path.join(tmpdir(), 'isccd-check-'));
    await writeFile(path.join(place, '.env'), 'CODEWEB_PORT=8100\nMSTORE_SECKEY secret\n');
    const env = { ISCCD_DATA_DIR: place };
    const plain = await isccd(['check', 'config'], { cwd: place, env });
    const json = await isccd(['check', 'config', '--json'], { cwd: place, env });
    await rm(place, { recursive: true });
    const problem = expect.stringMatching(/\.env:2: is not an assignment NAME=value, so the line is ignored/);
    expect([plain.code, plain.stderr]).toEqual([1, problem]);
    expect(plain.stderr).not.toContain('secret');
    expect(parsed(json.stdout).at(-1)).toEqual({ service: 'common', problem });
  });

  it('with an unknown service is refused', async () => {
    expect(await check(['nonsense'])).toMatchObject({ code: 2, stderr: expect.stringContaining('nonsense') });
  });
});

describe('a bucket in S3', () => {
  let s3: SeaweedServer;
  beforeAll(async () => {
    s3 = await startSeaweed();
  }, INSTALL_MAX_MS);
  afterAll(() => s3?.stop());

  it('is used once, and left empty', async () => {
    const bucket = await s3.createBucket();
    const env = { ...s3.variables, CODEWEB_MEDIA_PATH: `s3://${bucket}/media` };
    expect(await check(['codes'], env)).toMatchObject({ code: 0 });
    expect(await s3.keys(bucket)).toEqual([]);
  });

  it.each([
    ['an unreachable address', { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' }, '', 'is unreachable'],
    ['a missing bucket', {}, 's3://missing', 'the bucket missing at .* does not exist'],
    ['a wrong key', { AWS_ACCESS_KEY_ID: 'x' }, '', 'rejects the credentials .*InvalidAccessKeyId'],
    ['a wrong secret', { AWS_SECRET_ACCESS_KEY: 'x' }, '', 'rejects the credentials .*SignatureDoesNotMatch'],
    ['no key', { AWS_ACCESS_KEY_ID: '' }, '', 'needs credentials .*set AWS_ACCESS_KEY_ID'],
    ['an unknown option', {}, 's3://bucket?endpiont=x', 'has an unknown option; known are endpoint'],
    ['no bucket', {}, 's3://', 'must be an address like s3://BUCKET/PREFIX'],
  ])('is reported: %s', async (_, variables, uri, message) => {
    const media = uri === '' ? `s3://${await s3.createBucket()}` : uri;
    const { code, stderr } = await check(['codes'], {
      ...s3.variables,
      CODEWEB_MEDIA_PATH: media,
      ...variables,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`CODEWEB_MEDIA_PATH.*${message}`));
  });
});

describe('Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis('geheim');
  }, INSTALL_MAX_MS);
  afterAll(() => redis?.stop());

  it('is used once, and its password is hidden', async () => {
    const { code, stdout } = await check(['codes', 'store'], { ISCCD_REDIS_URL: redis.url });
    expect(code).toBe(0);
    expect(stdout).not.toContain('geheim');
  });

  it.each([
    [
      'an unreachable address',
      () => 'redis://127.0.0.1:9',
      'ISCCD_REDIS_URL: Redis at 127.0.0.1:9 is unreachable',
    ],
    ['a missing password', () => redis.url.replace(':geheim@', ''), 'rejects the user or password'],
    ['a wrong password', () => redis.url.replace('geheim', 'wrong'), 'rejects the user or password'],
    [
      'a cluster',
      () => 'redis+cluster://127.0.0.1:9',
      'must name one Redis server, because a Redis Cluster is not supported',
    ],
    ['a database that does not exist', () => `${redis.url}/99`, 'DB index is out of range'],
    ['another protocol', () => 'http://127.0.0.1:9', 'must be an address like redis://HOST:6379'],
  ])('is reported: %s', async (_, url, message) => {
    const { code, stderr } = await check(['store'], { ISCCD_REDIS_URL: url() });
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

it('a node of a Redis Cluster is refused, and named by the reason in logs', async () => {
  const node = await startRedis(undefined, ['--cluster-enabled', 'yes']);
  const { host } = new URL(node.url);
  const reason = `Redis at ${host} is a node of a Redis Cluster, which is not supported: use one server`;
  try {
    const { code, stderr } = await check(['store'], { ISCCD_REDIS_URL: node.url });
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
    expect(redisReason(new Error('MOVED 1 127.0.0.1:7001'), node.url)).toContain(reason);
  } finally {
    await node.stop();
  }
});

describe('indexes in PostgreSQL', () => {
  let postgres: PostgresServer;
  let url: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await postgres.createDatabase();
  });
  afterAll(() => postgres?.stop());

  const sql = async (database: string, ...statements: string[]) => {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };

  it('are checked without a change of the database, and a password is hidden', async () => {
    const { code, stdout } = await check(['search'], {
      INDEXSVC_INDEX_URI: url.replace('isccd@', 'isccd:geheim@'),
    });
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('geheim')]);
    await sql(url, 'create schema isccd_search');
  });

  it.each([
    [
      'an unreachable address',
      () => 'postgresql://a:geheim@127.0.0.1:9/x',
      /a@127\.0\.0\.1:9\/x cannot be used: .*ECONNREFUSED/,
    ],
    ['a missing database', () => url.replace(/store_\d+/, 'none'), /database "none" does not exist/],
    ['a bad address', () => 'postgresql:nothing', /is not postgresql:\/\/user@host\/database/],
    ['a bad schema', () => `${url}&schema=A-B`, /the schema 'A-B' must have lower-case letters/],
    ['a wish for a standby', () => `${url}&target_session_attrs=standby`, /must be read-write/],
    ['an unknown parameter', () => `${url}&shcema=a`, /unknown parameter 'shcema'; known are schema, /],
  ])('are reported: %s', async (_, location, message) => {
    const { code, stderr } = await check(['search'], { INDEXSVC_INDEX_URI: location() });
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr).toContain('INDEXSVC_INDEX_URI: ');
    expect(stderr).not.toContain('geheim');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it("the store's database is tried without a change", async () => {
    const stored = await postgres.createDatabase();
    expect((await check(['store'], { DATABASE_URL: stored })).code).toBe(0);
    await sql(url, 'create database latin encoding latin1 locale "C" template template0');
    await sql(stored, 'create role reader login', 'revoke create on schema public from public');
    const problems = [];
    const readOnly = `${stored}&options=-c%20default_transaction_read_only%3Don`;
    for (const database of [
      stored.replace(/store_\d+/, 'none'),
      stored.replace(/store_\d+/, 'latin'),
      stored.replace('isccd@', 'reader@'),
      readOnly,
    ])
      problems.push((await check(['store'], { DATABASE_URL: database })).stderr);
    expect(problems).toEqual([
      expect.stringMatching(/^isccd: DATABASE_URL: .* cannot be used: database "none" does not exist$/m),
      expect.stringMatching(/the encoding of the database is LATIN1, it must be UTF8$/m),
      expect.stringMatching(/the user may not create tables in the schema public of /),
      expect.stringMatching(/ is read-only$/m),
    ]);
  });

  it('compares the version of pg_dump with that of the server, if there is one', async () => {
    const database = await postgres.createDatabase();
    const programs = await mkdtemp(path.join(folder, 'programs-'));
    const pgDump = path.join(programs, 'pg_dump');
    const checked = async (version: string) => {
      await writeFile(pgDump, `#!/bin/sh\necho 'pg_dump (PostgreSQL) ${version}'\n`, { mode: 0o755 });
      return check(['store'], { DATABASE_URL: database, PATH: programs });
    };
    const old = await checked('12.22 (Debian 12.22-1)');
    expect(old.code).toBe(1);
    expect(old.stderr).toMatch(
      /^isccd: DATABASE_URL: isccd backup needs pg_dump (\d+) or newer for a PostgreSQL \1 server, the one on the PATH has version 12; install postgresql-client-\1$/m,
    );
    expect(await checked('99beta1')).toMatchObject({ code: 0 });
    await rm(pgDump);
    expect(await check(['store'], { DATABASE_URL: database, PATH: programs })).toMatchObject({ code: 0 });
  });

  it('are reported: missing rights, tables of a newer version, and those of another program', async () => {
    const other = await postgres.createDatabase();
    const foreign = await postgres.createDatabase();
    const versions = 'create table isccd_search.schema_version (id int, version int)';
    await sql(foreign, 'create schema isccd_search', versions);
    await sql(foreign, 'insert into isccd_search.schema_version values (1, 99)');
    await sql(
      other,
      'create role weak login',
      'create schema isccd_search',
      'grant usage on schema isccd_search to weak',
      versions,
      'create table isccd_search.indexes (id int)',
      'insert into isccd_search.schema_version values (1, 99)',
    );
    const weak = other.replace('isccd@', 'weak@');
    const problems = [];
    for (const location of [weak, `${weak}&schema=new`, other, foreign])
      problems.push((await check(['search'], { INDEXSVC_INDEX_URI: location })).stderr);
    expect(problems).toEqual([
      expect.stringContaining('the user may not create tables in the schema isccd_search'),
      expect.stringContaining('the user may not create the schema new'),
      expect.stringContaining('has format 99, but this program supports formats up to'),
      expect.stringContaining('has a table schema_version of another program'),
    ]);
  });
});
