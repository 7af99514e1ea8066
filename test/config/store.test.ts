/** Valid and invalid configurations of the manifest store. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { storeConfig as completed } from '../../src/compose/first-run.js';
import { readStoreSettings } from '../../src/platform/config/store-settings.js';
import { ConfigurationInvalid } from '../../src/platform/config/variable.js';

const storeConfig = (environment: Record<string, string>) => completed(readStoreSettings(environment));

const folder = mkdtempSync(path.join(os.tmpdir(), 'isccd-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const required = { APP_SECRET_KEY: 'secret', MSTORE_URL: 'https://store.example/', MSTORE_DATA_DIR: folder };
const config = (environment: Record<string, string> = {}) =>
  storeConfig({ ...required, ...environment }).config;
const vectors = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../fixtures/c2pa/vectors/declaration.json'), 'utf8'),
) as {
  secretKeys: {
    valid: { secretKey: string; seedHex: string }[];
    invalid: { secretKey: string; why: string }[];
  };
};

describe('the configuration of the store', () => {
  it('has the documented defaults', () => {
    expect(config()).toMatchObject({
      url: 'https://store.example',
      host: '127.0.0.1',
      port: 8020,
      debug: false,
      dataDir: folder,
      databaseUrl: undefined,
      trustAnchorsPem: '',
      secretSeed: undefined,
      hubUrl: undefined,
      hubId: 1,
      hubTimeoutSeconds: 5,
      declareDefault: true,
      retrySeconds: 120,
      operatorTokenSha256: undefined,
      matchThreshold: 75,
      uploadBytesMax: 2_097_152,
      rateWrite: { count: 10, periodSeconds: 60 },
      rateRead: { count: 120, periodSeconds: 60 },
      rateLogin: { count: 10, periodSeconds: 60 },
      unthrottled: undefined,
      proxies: 0,
    });
  });

  it('uses a subfolder of ISCCD_DATA_DIR by default', () => {
    const environment = { ...required, MSTORE_DATA_DIR: '', ISCCD_DATA_DIR: folder };
    expect(storeConfig(environment).config.dataDir).toBe(path.join(folder, 'store'));
  });

  it('shows details of errors in development, unless APP_DEBUG is set', () => {
    const development = { ISCCD_ENVIRONMENT: 'development' };
    expect(config(development).debug).toBe(true);
    expect(config({ ...development, APP_DEBUG: 'false' }).debug).toBe(false);
  });

  it('reports what is invalid and what is missing together', () => {
    const environment = { MSTORE_HOST: '0.0.0.0', MSTORE_PORT: 'x', MSTORE_TRUST_ANCHORS: folder };
    expect(() => storeConfig(environment)).toThrow(
      /^MSTORE_PORT="x" must.*\nMSTORE_URL is required .*\nAPP_SECRET_KEY is required/,
    );
  });

  it.each([
    ['MSTORE_URL', 'ftp://store.example'],
    ['MSTORE_URL', 'store.example'],
    ['MSTORE_URL', 'https://store.example/?a=1'],
    ['MSTORE_RATE_WRITE', '10'],
    ['MSTORE_RATE_READ', '10/x'],
    ['MSTORE_RATE_LOGIN', '-1/m'],
    ['MSTORE_SECKEY', 'z6MkpFpVngrAUTSY6PagXa1x27qZqgdmmy3ZNWSBgyFSvBSx'],
    ['MSTORE_SECKEY', 'nonsense'],
    ['MSTORE_TRUST_ANCHORS', '/does/not/exist.pem'],
    ['MSTORE_HUB_ID', '4096'],
    ['MSTORE_HUB_ID', '-1'],
    ['MSTORE_HUB_URL', 'hub.example'],
    ['MSTORE_HUB_TIMEOUT', '0'],
    ['MSTORE_MATCH_THRESHOLD', '101'],
    ['MSTORE_MATCH_THRESHOLD', '-1'],
    ['MSTORE_OPERATOR_TOKEN_SHA256', 'abc'],
    ['MSTORE_UNTHROTTLED', '1.2.3.4,example.org'],
    ['APP_ALLOWED_HOSTS', 'a.example:80'],
    ['DATABASE_URL', 'mysql://x'],
    ['MSTORE_NUM_PROXIES', 'x'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => config({ [name]: value })).toThrow(ConfigurationInvalid);
    expect(() => config({ [name]: value })).toThrow(name);
  });

  it('hides secrets in errors', () => {
    expect(() => config({ MSTORE_SECKEY: 'z3u2abc' })).not.toThrow(/z3u2abc/);
    expect(() => config({ DATABASE_URL: 'mysql://user:pw@h/d' })).not.toThrow(/pw/);
  });

  it.each(vectors.secretKeys.valid)('reads the key $secretKey', ({ secretKey, seedHex }) => {
    const { secretSeed } = config({ MSTORE_SECKEY: secretKey });
    expect(Buffer.from(secretSeed ?? []).toString('hex')).toBe(seedHex);
  });

  it.each(vectors.secretKeys.invalid)('refuses a key with $why', ({ secretKey }) => {
    if (secretKey === '') expect(config({ MSTORE_SECKEY: '' }).secretSeed).toBeUndefined();
    else expect(() => config({ MSTORE_SECKEY: secretKey })).toThrow(/MSTORE_SECKEY/);
  });

  it('normalises addresses', () => {
    expect(config({ MSTORE_UNTHROTTLED: ' 10.0.0.1, ::FFFF:1.2.3.4,2001:DB8:0::1 ' }).unthrottled).toEqual([
      '10.0.0.1',
      '1.2.3.4',
      '2001:db8::1',
    ]);
  });

  it('contains the content of the trust anchors file', () => {
    const file = path.join(folder, 'anchors.pem');
    const certificate = '-----BEGIN CERTIFICATE-----';
    writeFileSync(file, certificate);
    expect(config({ MSTORE_TRUST_ANCHORS: file }).trustAnchorsPem).toBe(certificate);
    writeFileSync(file, 'no certificate');
    expect(() => config({ MSTORE_TRUST_ANCHORS: file })).toThrow(
      /^MSTORE_TRUST_ANCHORS=".*anchors\.pem" contains no certificate in PEM form$/,
    );
  });
});

describe('a store without secret and address', () => {
  const dataDir = path.join(folder, 'first');

  it('generates both, logs a notice, and keeps them', () => {
    const first = storeConfig({ MSTORE_DATA_DIR: dataDir, MSTORE_PORT: '8021' });
    expect(first.config.url).toBe('http://127.0.0.1:8021');
    expect(first.config.secretKey).toMatch(/^[0-9a-f]{64}$/);
    expect(first.notices.join('\n')).toMatch(/APP_SECRET_KEY[\s\S]*MSTORE_URL/);
    const second = storeConfig({ MSTORE_DATA_DIR: dataDir });
    expect(second.config).toMatchObject({ url: first.config.url, secretKey: first.config.secretKey });
  });

  it('uses the value that is set', () => {
    const { config, notices } = storeConfig({ MSTORE_DATA_DIR: dataDir, MSTORE_URL: 'https://a.example' });
    expect(config.url).toBe('https://a.example');
    expect(notices).toHaveLength(1);
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'store.example'])('is refused on %s', (host) => {
    expect(() => storeConfig({ MSTORE_DATA_DIR: dataDir, MSTORE_HOST: host })).toThrow(
      /^MSTORE_URL is required .*\nAPP_SECRET_KEY is required .*$/,
    );
    expect(() => storeConfig({ MSTORE_HOST: host, MSTORE_URL: 'https://a.example' })).toThrow(
      /APP_SECRET_KEY is required/,
    );
  });
});
