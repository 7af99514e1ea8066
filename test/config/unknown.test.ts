import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALL_VARIABLES } from '../../src/platform/config/all.js';
import { checkApiSecretName, unknownVariables } from '../../src/platform/config/unknown.js';
import { ConfigurationInvalid } from '../../src/platform/config/variable.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const messages = (environment: Record<string, string>) =>
  unknownVariables(environment).map(({ message }) => message);

describe('unknownVariables', () => {
  it.each([
    ['CODEWEB_MAX_UPLAOD_SIZE', 'did you mean CODEWEB_MAX_UPLOAD_SIZE?'],
    ['INDEXSVC_INDEX_URL', 'did you mean INDEXSVC_INDEX_URI?'],
    ['MSTORE_TRUST_ANCHOR', 'did you mean MSTORE_TRUST_ANCHORS?'],
    ['RESOLVER_URL', 'remove it'],
    ['ISCCD_DATADIR', 'did you mean ISCCD_DATA_DIR?'],
    ['CODESDK_FFMPG', 'did you mean CODESDK_FFMPEG?'],
    ['APP_SECRETKEY', 'did you mean APP_SECRET_KEY?'],
    ['DATABSE_URL', 'did you mean DATABASE_URL?'],
    ['CODEWBE_PORT', 'did you mean CODEWEB_PORT?'],
    ['ISCC_SEARCH_INDEX_URI', 'did you mean INDEXSVC_INDEX_URI?'],
    ['ISCC_WEB_PRIVATE_FILES', 'did you mean CODEWEB_PRIVATE_FILES?'],
    ['ISCC_SDK_GRANULAR', 'did you mean CODESDK_GRANULAR?'],
    ['ISCC_SEARCH_AGGREGATOR_POLL_SECONDS', 'did you mean INDEXSVC_AGGREGATOR_POLL_INTERVAL?'],
    ['ISCC_SEARCH_REFERENCE_ONLY', 'remove it'],
  ])('reports %s: %s', (name, hint) => {
    expect(messages({ [name]: 'x' })).toEqual([`${name} is not a variable of isccd; ${hint}`]);
  });

  it('accepts known, empty and foreign variables', () => {
    const known = Object.fromEntries(ALL_VARIABLES.map(({ name }) => [name, 'x']));
    const kubernetes = {
      RESOLVER_SERVICE_HOST: 'x',
      RESOLVER_PORT_8030_TCP_ADDR: 'x',
      RESOLVER_SERVICE_PORT: 'x',
    };
    expect(
      messages({
        ...known,
        ...kubernetes,
        PATH: 'x',
        HOME: 'x',
        CODEWEB_X: '',
        ISCC_OTHER: 'x',
        APP_NAME: 'x',
        OTEL_SERVICE_NAME: 'x',
        FTP_PROXY: 'x',
        http_proxy: 'x',
      }),
    ).toEqual([]);
  });

  it('accepts the variables of scripts, containers and tests', () => {
    const files = ['scripts', 'test', 'bench', 'ops', 'compose.yaml', 'Dockerfile', '.github'];
    const args = [
      'grep',
      '-hoE',
      '\\bISCCD_[A-Z0-9_]*[A-Z0-9]\\b',
      '--',
      ...files,
      ':!test/config/unknown.test.ts',
    ];
    const names = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
    expect(names.length).toBeGreaterThan(10);
    expect(messages(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
  });
});

describe('checkApiSecretName', () => {
  it.each([
    'ISCC_SEARCH_API_SECRET',
    'INDEXSVC_API_SECRT',
    'INDEXSVC_APISECRET',
    'INDEXSVC_API_KEY',
    'INDEXSVC_TOKEN',
    'INDEXSCV_API_SECRET',
  ])('refuses %s', (name) => {
    expect(() => checkApiSecretName({ [name]: 'key' })).toThrow(ConfigurationInvalid);
    expect(() => checkApiSecretName({ [name]: 'key' })).toThrow(
      `${name} is set, but INDEXSVC_API_SECRET is not: rename it`,
    );
  });

  it('accepts it next to INDEXSVC_API_SECRET', () => {
    checkApiSecretName({ ISCC_SEARCH_API_SECRET: 'old', INDEXSVC_API_SECRET: 'new' });
    checkApiSecretName({ ISCC_SEARCH_HOST: 'x' });
  });
});
