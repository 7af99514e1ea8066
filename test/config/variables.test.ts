import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { envExample, envFileOf } from '../../src/cli/help/variables.js';
import { SERVICE_NAMES, SERVICES } from '../../src/compose/services.js';
import { ALL_VARIABLES } from '../../src/platform/config/all.js';
import { codesVariables, readCodesConfig } from '../../src/platform/config/codes.js';
import { commonVariables } from '../../src/platform/config/common.js';
import { envFile, markdownTable, shownDefault } from '../../src/platform/config/describe.js';
import { parseDotEnv } from '../../src/platform/config/env.js';
import { text } from '../../src/platform/config/schemas.js';
import {
  ConfigurationInvalid,
  defineVariables,
  readVariable,
  readVariables,
  type Variable,
} from '../../src/platform/config/variable.js';

const ORIGINS_RULE = 'must be origins such as https://example.org, separated by spaces or commas, or *';

const codes = (environment: Record<string, string>) => readCodesConfig(environment);

describe('readVariables', () => {
  it('returns the documented defaults', () => {
    expect(codes({})).toMatchObject({
      host: '127.0.0.1',
      port: 8000,
      environment: 'production',
      mediaPath: path.join(os.homedir(), '.local/share/isccd/codes'),
      siteAddress: undefined,
      maxUploadBytes: 1_073_741_824,
      ioReadBytes: 2_097_152,
      privateFiles: true,
      corsOrigins: [],
      storageExpirySeconds: 3600,
      cleanupIntervalSeconds: 600,
      semanticDefault: false,
      logLevel: 'debug',
      errorTrackingDsn: undefined,
      granular: true,
      fallback: true,
      experimental: false,
      compat: '0.9.7',
    });
  });

  it('reads values and treats empty ones as unset', () => {
    expect(codes({ CODEWEB_PORT: '9', CODEWEB_HOST: '' })).toMatchObject({ port: 9, host: '127.0.0.1' });
    for (const host of ['::', '0.0.0.0', 'fe80::1%eth0', 'host-1.example'])
      expect(codes({ CODEWEB_HOST: host })).toMatchObject({ host });
  });

  it('takes environment and folder of all services, unless those of the service are set', () => {
    const all = { ISCCD_ENVIRONMENT: 'development', ISCCD_DATA_DIR: '/data' };
    expect(codes(all)).toMatchObject({ environment: 'development', mediaPath: '/data/codes' });
    const own = { ...all, CODEWEB_ENVIRONMENT: 'production', CODEWEB_MEDIA_PATH: '/media' };
    expect(codes(own)).toMatchObject({ environment: 'production', mediaPath: '/media' });
  });

  it('accepts all spellings of booleans and log levels', () => {
    for (const yes of ['true', 'TRUE', '1', 'on', 'Yes']) {
      expect(codes({ CODEWEB_PRIVATE_FILES: yes }).privateFiles).toBe(true);
    }
    for (const no of ['false', 'False', '0', 'off', 'no']) {
      expect(codes({ CODEWEB_PRIVATE_FILES: no }).privateFiles).toBe(false);
    }
    expect(codes({ CODEWEB_LOG_LEVEL: 'WARNING' }).logLevel).toBe('warn');
  });

  it('splits origins at spaces and commas', () => {
    const { corsOrigins } = codes({ CODEWEB_CORS_ORIGINS: 'https://a.example, http://b.example:81/  *' });
    expect(corsOrigins).toEqual(['https://a.example', 'http://b.example:81', '*']);
  });

  it.each([
    ['CODEWEB_PORT', 'abc', 'must be an integer from 0 to 65535'],
    ['CODEWEB_PORT', '65536', 'must be an integer from 0 to 65535'],
    ['CODEWEB_PORT', '1e3', 'must be an integer from 0 to 65535'],
    ['CODEWEB_HOST', '*', 'must be an IP address or a host name; 0.0.0.0 and :: listen on all addresses'],
    ['CODEWEB_MAX_UPLOAD_SIZE', '0', 'must be an integer from 1 to 9007199254740991'],
    ['CODEWEB_PRIVATE_FILES', 'maybe', 'must be true or false'],
    ['CODEWEB_ENVIRONMENT', 'test', 'must be one of development, production'],
    ['CODEWEB_LOG_LEVEL', 'loud', 'must be one of trace, debug, info, warn, error, fatal, silent'],
    ['CODEWEB_SITE_ADDRESS', 'ftp://x', 'must be an absolute http or https address without a query'],
    ['CODEWEB_SITE_ADDRESS', 'http://x/?', 'must be an absolute http or https address without a query'],
    ['CODEWEB_SITE_ADDRESS', 'http://x/#', 'must be an absolute http or https address without a query'],
    ['CODEWEB_SITE_ADDRESS', 'http://u:p@x', 'must be an absolute http or https address without a query'],
    ['CODEWEB_CORS_ORIGINS', 'https://a.example/path', ORIGINS_RULE],
    ['CODEWEB_CORS_ORIGINS', 'https://a.example/?', ORIGINS_RULE],
    ['CODEWEB_CORS_ORIGINS', 'a.example', ORIGINS_RULE],
    ['CODESDK_COMPAT', '1', 'must be one of 0.9.7, 0.9.5, better'],
  ])('refuses %s=%s in one line with name, value and rule', (name, value, rule) => {
    expect(() => codes({ [name]: value })).toThrow(new ConfigurationInvalid(`${name}="${value}" ${rule}`));
  });

  it('never shows a secret', () => {
    const dsn = 'not-an-address-with-key';
    expect(() => codes({ CODEWEB_ERROR_TRACKING_DSN: dsn })).toThrow(
      /^CODEWEB_ERROR_TRACKING_DSN=\(hidden\) must/,
    );
  });

  it('keeps line breaks of a value out of the message', () => {
    expect(() => codes({ CODEWEB_PORT: '1\n2' })).toThrow(/^CODEWEB_PORT="1\\n2" must[^\n]*$/);
  });
});

describe('places of indexes', () => {
  const variable = (name: string) => ALL_VARIABLES.find((one) => one.name === name) as Variable;
  const read = (name: string, value: string) => readVariable(variable(name), { [name]: value });

  it.each([
    'memory://',
    'lmdb:///data',
    'usearch:///data/a b',
    'postgresql://user@host/database',
    'postgres://user:password@a,b/database?schema=x',
    'opensearch+https://user:password@host:9200/prefix',
  ])('may be %s', (location) => expect(read('INDEXSVC_INDEX_URI', location)).toBe(location));

  it.each(['redis://x', 'lmdb://relative', 'usearch://', 'memory://x', '/data', 'opensearch://host/a'])(
    'may not be %s',
    (location) => {
      const rule = /^INDEXSVC_INDEX_URI=\(hidden\) must be memory:\/\/, .*opensearch\+https:\/\/host/;
      expect(() => read('INDEXSVC_INDEX_URI', location)).toThrow(rule);
    },
  );

  it('have names of lower-case letters and digits', () => {
    for (const names of ['c2pa', 'a1, b2', 'a b,', 'a'.repeat(32)])
      expect(read('RESOLVER_SEARCH_INDEX', names)).toBe(names);
    for (const names of ['Foo', '1a', 'a-b', 'a,B', 'a'.repeat(33)])
      expect(() => read('RESOLVER_SEARCH_INDEX', names)).toThrow('must be names of indexes');
  });
});

describe('defineVariables', () => {
  it('refuses a name that is declared twice', () => {
    const variable = { name: 'A', schema: text(), description: '' };
    expect(() => defineVariables({ one: variable, two: variable })).toThrow(/twice/);
  });
});

describe('a port that may be off', () => {
  const port = (value: string) => readVariables(commonVariables, { ISCCD_METRICS_PORT: value }).metricsPort;

  it('accepts its own default', () => {
    expect([port(''), port('off'), port('OFF'), port('0')]).toEqual([undefined, undefined, undefined, 0]);
    expect(() => port('none')).toThrow('must be an integer from 0 to 65535, or off');
  });
});

describe('a default that the check and the documentation show', () => {
  it('is accepted as a value, if it is one', () => {
    const shown = ALL_VARIABLES.map(
      (variable) => [variable, variable.default ?? shownDefault(variable)] as const,
    );
    const words = shown.filter(([, value]) => /^[\w.:/-]+$/.test(value));
    expect(words.length).toBeGreaterThan(60);
    for (const [variable, value] of words) readVariable(variable, { [variable.name]: value });
  });

  it.each([
    ['INDEXSVC_AGGREGATOR_NETWORK', 'must be one of mainnet, testnet, or off'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'must be an absolute http or https address without a query, or off'],
  ])('may be off: %s', (name, rule) => {
    const variable = ALL_VARIABLES.find((one) => one.name === name) as Variable;
    expect(readVariable(variable, { [name]: 'Off' })).toBeUndefined();
    expect(() => readVariable(variable, { [name]: 'none' })).toThrow(rule);
  });
});

describe('the .env file of all variables', () => {
  const sets = SERVICE_NAMES.map((name) => SERVICES[name].variables);

  it('is valid and sets only defaults', () => {
    const values = parseDotEnv(envFileOf(SERVICE_NAMES));
    const known = new Map(ALL_VARIABLES.map((variable) => [variable.name, variable]));
    expect(Object.keys(values).length).toBeGreaterThan(50);
    for (const [name, value] of Object.entries(values)) {
      expect([name, value]).toEqual([name, known.get(name)?.default]);
    }
    for (const variables of [commonVariables, ...sets]) {
      expect(readVariables(variables, values)).toEqual(readVariables(variables, {}));
    }
  });

  it('has a commented line for each variable in the example', () => {
    expect(parseDotEnv(envExample())).toEqual({});
    for (const { name } of ALL_VARIABLES) expect(envExample()).toMatch(new RegExp(`^# ${name}=`, 'm'));
  });
});

describe('tables of variables', () => {
  const all = { ...commonVariables, ...codesVariables };

  it('have a row for every variable', () => {
    for (const { name } of Object.values(all)) {
      expect(markdownTable(all)).toContain(`| \`${name}\` |`);
      expect(envFile(all)).toContain(`${name}=`);
    }
  });

  it('show the default and the unit', () => {
    expect(markdownTable(codesVariables)).toContain(
      '| `CODEWEB_STORAGE_EXPIRY` | `3600` | Lifetime of an upload. Unit: seconds. |',
    );
  });
});
