/** Manifests by id alone: a declaration of the same id at another address does not hide the right one. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ManifestReader } from '../../src/c2pa/manifest-reader.js';
import { nativeError } from '../../src/c2pa/manifest-workers.js';
import { native } from '../../src/native.js';
import { RepositoryBusy, RepositoryFailed } from '../../src/services/resolver/errors.js';
import type { ManifestResult } from '../../src/services/resolver/manifests.js';
import { RecentManifests } from '../../src/services/resolver/recent.js';
import { BackendUnavailable } from '../../src/services/resolver/search-backend.js';
import { ResolverService } from '../../src/services/resolver/service.js';
import { bytesOf, sidecar } from '../store/support/fixtures.js';

const right = sidecar('ok-es256-iscc4');
const other = sidecar('ok-ed25519');
const ID = right.expect.manifestId ?? '';
const [FIRST, SECOND] = [native.isccId(0, 1, 1), native.isccId(0, 2, 1)];

/** A resolver whose queries have returned both declarations; the gateway of each responds with the result. */
function resolver(
  results: Readonly<Record<string, ManifestResult>>,
  trusted?: Buffer | Error,
  {
    queried = [FIRST, SECOND],
    declared = [],
    reader = new ManifestReader(undefined),
    reads = [],
  }: {
    queried?: string[];
    declared?: string[] | Error;
    reader?: Pick<ManifestReader, 'label'>;
    reads?: string[];
  } = {},
) {
  const recent = new RecentManifests();
  for (const isccId of queried) recent.add(ID, isccId);
  const backend = {
    gateway: async (isccId: string) => isccId,
    isccIdsOf: async () => {
      if (declared instanceof Error) throw declared;
      return declared;
    },
  } as never;
  const manifests = {
    manifestIdAt: () => ID,
    read: async (gateway: string) => {
      reads.push(gateway);
      return results[gateway] ?? { kind: 'not-found' };
    },
    readTrusted: async () => {
      if (trusted instanceof Error) throw trusted;
      return trusted;
    },
  } as never;
  return new ResolverService({ backend, manifests, recent, reader });
}

const found = (item: typeof right): ManifestResult => ({ kind: 'found', bytes: bytesOf(item) });

describe('a manifest by its id', () => {
  it('is found if the first declaration is unreachable', async () => {
    const results = { [FIRST]: { kind: 'unavailable', reason: 'down' } as const, [SECOND]: found(right) };
    expect(await resolver(results).manifestById(ID)).toEqual(bytesOf(right));
  });

  it('is found if the first declaration serves a manifest with another label', async () => {
    const results = { [FIRST]: found(other), [SECOND]: found(right) };
    expect(await resolver(results).manifestById(ID)).toEqual(bytesOf(right));
  });

  it('is read once, and its declaration comes first from then on', async () => {
    const parsed: string[] = [];
    const reads: string[] = [];
    const reader = {
      label: (bytes: Uint8Array) => {
        parsed.push(createHash('sha256').update(bytes).digest('hex').slice(0, 8));
        return new ManifestReader(undefined).label(bytes);
      },
    };
    const [wrong, cut] = [bytesOf(other), bytesOf(right).subarray(0, -1)];
    const results = { [FIRST]: found(other), [SECOND]: found(right) };
    const service = resolver(results, undefined, { reader, reads });
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 8);
    const all = [digest(wrong), digest(bytesOf(right))];
    expect(await service.manifestById(ID)).toEqual(bytesOf(right));
    expect(parsed.splice(0).sort()).toEqual(all.sort());
    expect(await service.manifestOf(SECOND.slice(5), ID)).toEqual(bytesOf(right));
    expect(parsed).toEqual([]);
    reads.length = 0;
    await service.manifestById(ID);
    expect(reads).toEqual([SECOND, FIRST]);
    // Other bytes at the same address are read again.
    results[SECOND] = { kind: 'found', bytes: cut };
    await expect(service.manifestOf(SECOND.slice(5), ID)).rejects.toThrow('not found');
    expect(parsed).toContain(digest(cut));
  });

  it('is refused for now while too many manifests are read', async () => {
    const reader = { label: () => Promise.reject(nativeError('BUSY', 'busy')) };
    const service = resolver({ [FIRST]: found(right) }, undefined, { reader });
    await expect(service.manifestById(ID)).rejects.toThrow(RepositoryBusy);
  });

  it('is refused if all declarations serve another label', async () => {
    const results = { [FIRST]: found(other), [SECOND]: found(other) };
    await expect(resolver(results).manifestById(ID)).rejects.toThrow('C2PA Manifest not found');
    await expect(resolver(results).manifestOf(FIRST.slice(5), ID)).rejects.toThrow('not found');
  });

  it('is found by the declarations in the index, without a query before', async () => {
    const declared = [FIRST, SECOND];
    const results = { [FIRST]: found(other), [SECOND]: found(right) };
    const queried: string[] = [];
    expect(await resolver(results, undefined, { queried, declared }).manifestById(ID)).toEqual(
      bytesOf(right),
    );
    // The first was queried and leads elsewhere.
    const after = resolver(results, undefined, { queried: [FIRST], declared });
    expect(await after.manifestById(ID)).toEqual(bytesOf(right));
    await expect(resolver(results, undefined, { queried }).manifestById(ID)).rejects.toThrow('not found');
  });

  it('is found behind many declarations of its id that lead elsewhere', async () => {
    const declared = Array.from({ length: 12 }, (_, at) => native.isccId(0, at + 1, 1));
    const results = { [declared.at(-1) ?? '']: found(right), [declared[6] ?? '']: found(other) };
    const queried = declared.slice(0, 5);
    expect(await resolver(results, undefined, { queried, declared }).manifestById(ID)).toEqual(
      bytesOf(right),
    );
  });

  it('is unavailable, not unknown, while the search service is unreachable', async () => {
    const failure = new BackendUnavailable('down');
    const options = { queried: [FIRST], declared: failure };
    await expect(resolver({}, undefined, options).manifestById(ID)).rejects.toBe(failure);
    const results = { [FIRST]: found(right) };
    expect(await resolver(results, undefined, options).manifestById(ID)).toEqual(bytesOf(right));
  });

  it('comes from a trusted store, without a query before', async () => {
    expect(await resolver({}, bytesOf(right)).manifestById(ID)).toEqual(bytesOf(right));
  });

  it('is unavailable, not unknown, while a trusted store is unreachable', async () => {
    const failure = new RepositoryFailed('down');
    await expect(resolver({}, failure).manifestById(ID)).rejects.toBe(failure);
    const results = { [SECOND]: found(right) };
    expect(await resolver(results, failure).manifestById(ID)).toEqual(bytesOf(right));
  });
});
