import { describe, expect, it } from 'vitest';
import {
  algorithmsDocument,
  capabilitiesDocument,
  discoveryDocument,
  statusDocument,
} from '../../src/c2pa/documents.js';
import { manifestUrl } from '../../src/c2pa/manifest-url.js';
import { algorithmList, discovery, serviceCapabilities, serviceStatus } from '../../src/c2pa/schema.js';
import { remoteManifestId } from '../../src/services/resolver/pointers.js';
import { vectors } from './vectors.js';

const gateway = vectors<{
  manifestIdOf: { url: string; manifestId: string | null }[];
  manifestUrl: { manifestId: string; manifestUrl: string }[];
}>('gateway');

const manifestIdOf = (url: string) => remoteManifestId(url, ({ protocol }) => protocol === 'https:');

describe('manifest addresses', () => {
  it.each(gateway.manifestUrl)('of $manifestId', ({ manifestId, manifestUrl: url }) => {
    expect(manifestUrl('https://store.example', manifestId)).toBe(url);
  });

  it.each(gateway.manifestIdOf)('$url', ({ url, manifestId }) => {
    expect(manifestIdOf(url) ?? null).toBe(manifestId);
  });

  it('have at most 2048 characters', () => {
    const address = `https://a.example/${'x'.repeat(2019)}/manifests/`.slice(0, 2046);
    const at = (length: number) =>
      `https://a.example/${'x'.repeat(length - 18 - 12)}/manifests/y`.slice(0, length);
    expect(address.length).toBe(2046);
    expect([at(2048).length, manifestIdOf(at(2048))]).toEqual([2048, 'y']);
    expect([at(2049).length, manifestIdOf(at(2049))]).toEqual([2049, undefined]);
  });
});

describe('documents', () => {
  it('match their schemas', () => {
    expect(algorithmList.parse(algorithmsDocument(['b', 'a'], ['io.iscc.v0']))).toEqual({
      watermarks: [{ alg: 'a' }, { alg: 'b' }],
      fingerprints: [{ alg: 'io.iscc.v0' }],
    });
    expect(serviceCapabilities.parse(capabilitiesDocument(['storeManifests']))).toEqual({
      c2paSpecificationVersion: '2.4.0',
      supportedCapabilities: ['storeManifests'],
    });
    expect(discovery.parse(discoveryDocument('https://a.example/base'))).toEqual({
      apiEndpoint: 'https://a.example/base/v1',
      c2paSpecificationVersion: '2.4.0',
      capabilitiesEndpoint: 'https://a.example/base/v1/services/capabilities',
      statusEndpoint: 'https://a.example/base/v1/services/status',
    });
    expect(serviceStatus.parse(statusDocument('ok', 1_795_228_188_999))).toEqual({
      status: 'ok',
      timestamp: '2026-11-21T02:29:48Z',
    });
  });
});
