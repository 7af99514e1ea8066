import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readResolverConfig } from '../../src/platform/config/resolver.js';
import { ConfigurationInvalid } from '../../src/platform/config/variable.js';

describe('readResolverConfig', () => {
  it('returns the documented defaults', () => {
    expect(readResolverConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8030,
      publicUrl: undefined,
      proxies: 0,
      searchUrl: undefined,
      searchApiKey: undefined,
      searchTimeoutSeconds: 5,
      probeTimeoutSeconds: 3,
      fetchTimeoutSeconds: 10,
      probeConcurrency: 16,
      environment: 'production',
      testAllow: [],
    });
  });

  it('reads RESOLVER_TRUST_ANCHORS also without look-ups of rights', () => {
    const trust = (place?: string) =>
      readResolverConfig(place === undefined ? {} : { RESOLVER_TRUST_ANCHORS: place }).trustAnchorsPem;
    expect(trust()).toBe('');
    const anchors = path.join(import.meta.dirname, '../fixtures/c2pa/certs/trust-anchors.pem');
    expect(trust(anchors)).toBe(readFileSync(anchors, 'utf8'));
    expect(() => trust('/nowhere.pem')).toThrow(ConfigurationInvalid);
  });

  it('accepts RESOLVER_TEST_ALLOW only in the test environment', () => {
    const allow = { RESOLVER_TEST_ALLOW: '127.0.0.1, ::1' };
    expect(() => readResolverConfig(allow)).toThrow(
      new ConfigurationInvalid(
        'RESOLVER_TEST_ALLOW="127.0.0.1,::1" must be empty unless RESOLVER_ENVIRONMENT=test',
      ),
    );
    expect(() => readResolverConfig({ ...allow, RESOLVER_ENVIRONMENT: 'production' })).toThrow(
      ConfigurationInvalid,
    );
    const { testAllow } = readResolverConfig({ ...allow, RESOLVER_ENVIRONMENT: 'test' });
    expect(testAllow).toEqual(['127.0.0.1', '::1']);
  });
});
