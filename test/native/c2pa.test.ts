/** Manifest stores through the addon: the same verdicts as in Rust, off the event loop, with limits. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anchorLists } from '../../src/c2pa/trust-lists.js';
import { type ManifestReport, type NativeError, native } from '../../src/native.js';

const fixtures = new URL('../fixtures/c2pa/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, fixtures));
const json = <T>(name: string) => JSON.parse(read(name).toString()) as T;

interface Item {
  readonly name: string;
  readonly file: string;
  readonly expect: {
    readonly status: number | number[];
    readonly acceptableCodes?: readonly string[];
    readonly manifestId?: string;
    readonly trusted?: boolean;
    readonly indexed?: readonly { alg: string; value: string; units?: readonly string[] }[];
  };
}

const anchors = read('certs/trust-anchors.pem').toString();
const { items } = json<{ items: Item[] }>('manifests/index.json');
const validator = new native.ManifestValidator(anchorLists(anchors));

type Accepted = Extract<ManifestReport, { outcome: 'accepted' }>;

function indexed({ bindings }: Accepted) {
  return bindings.map(({ alg, value, alternate, units }) => ({
    alg,
    value: value.toString('base64'),
    ...(alternate ? { alternate } : {}),
    ...(alg === 'io.iscc.v0'
      ? { units: units.filter(({ searchable }) => searchable).map(({ iscc }) => iscc) }
      : {}),
  }));
}

describe('validation', () => {
  it.each(items)('$name', async ({ file, expect: expected }) => {
    const report = await validator.validate(read(file));
    const statuses = [expected.status].flat();
    if (report.outcome === 'accepted') {
      expect(statuses).toContain(200);
      if (expected.manifestId !== undefined) expect(report.manifestId).toBe(expected.manifestId);
      if (expected.trusted !== undefined) expect(report.trusted).toBe(expected.trusted);
      if (expected.indexed !== undefined) expect(indexed(report)).toEqual(expected.indexed);
    } else {
      expect(report.outcome).toBe('refused');
      expect(statuses).toContain(400);
      if (report.outcome === 'refused') expect(expected.acceptableCodes).toContain(report.code);
    }
  });

  it('refuses an empty manifest store', async () => {
    const report = await validator.validate(new Uint8Array());
    expect(report).toMatchObject({ outcome: 'refused', code: 'manifest.unreadable' });
  });

  it('rejects with BUSY when too many validations are waiting', async () => {
    const bytes = read('manifests/ok-nested-3.c2pa');
    const closed = new native.ManifestValidator(anchorLists(anchors), { waitingMax: 0 });
    await expect(closed.validate(bytes)).rejects.toMatchObject({ code: 'BUSY' });
    const narrow = new native.ManifestValidator(anchorLists(anchors), { waitingMax: 2 });
    const outcome = (validation: Promise<ManifestReport>) =>
      validation.then((report) => report.outcome).catch((error: NativeError) => error.code);
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => outcome(narrow.validate(bytes))));
    expect(outcomes.slice(0, 2)).toEqual(['accepted', 'accepted']);
    expect(new Set(outcomes)).toEqual(new Set(['accepted', 'BUSY']));
    expect((await narrow.validate(bytes)).outcome).toBe('accepted');
  });

  it('rejects with TIMEOUT at the time limit', async () => {
    const hasty = new native.ManifestValidator(anchorLists(anchors), { timeLimitMs: 0 });
    const validation = hasty.validate(read('manifests/ok-60k.c2pa'));
    await expect(validation).rejects.toMatchObject({ code: 'TIMEOUT' });
  });

  it('throws for invalid trust anchors', () => {
    expect(() => new native.ManifestValidator(anchorLists('none'))).toThrow(
      'the trust anchors contain no certificate',
    );
    expect(new native.ManifestValidator([])).toBeDefined();
  });
});

describe('lists, ids and sequences', () => {
  it('returns the list of algorithms', () => {
    const listed = json<{ algorithms: { alg: string; type: string }[] }>('alg-list.json').algorithms;
    expect(native.softBindingAlgorithms()).toEqual(listed.map(({ alg, type }) => ({ alg, kind: type })));
  });

  it('tells valid manifest ids from others', () => {
    const { cases } = json<{ cases: { id: string; valid: boolean }[] }>('vectors/manifest-id.json');
    for (const { id, valid } of cases) expect(native.isManifestId(id), JSON.stringify(id)).toBe(valid);
  });

  const { valid, invalid } = json<{
    valid: { name: string; hex: string; units: Record<string, unknown>[] }[];
    invalid: { name: string; hex: string }[];
  }>('vectors/iscc-seq.json');

  it.each(valid)('decodes ISCC-SEQ $name', ({ hex, units }) => {
    const seen = native
      .decodeIsccSeq(Buffer.from(hex, 'hex'))
      .map(({ iscc, body, mainType, subType, version, bits, searchable }) => {
        const fields = { mainType, subType, version, bits, searchable };
        return { unit: iscc, bodyHex: body.toString('hex'), ...fields };
      });
    expect(seen).toEqual(units.map(({ lengthField: _, ...unit }) => unit));
  });

  it.each(invalid)('throws for ISCC-SEQ $name', ({ hex }) => {
    expect(() => native.decodeIsccSeq(Buffer.from(hex, 'hex'))).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(/./) }),
    );
  });
});

describe('signing', () => {
  const value = Buffer.concat([
    Buffer.from([0x30, 7]),
    Buffer.alloc(32, 1),
    Buffer.from([0x40, 7]),
    Buffer.alloc(32, 2),
  ]);
  const assetHash = createHash('sha256').update('asset').digest();

  it.each(['es256', 'ed25519'] as const)('with %s passes validation', async (algorithm) => {
    const { rootPem, chainPem, keyPem } = await native.makeTestCertificate(algorithm, 'isccd test');
    const bytes = await native.signManifest({
      chainPem,
      keyPem,
      algorithm,
      title: 'A title',
      format: 'text/plain',
      assetHash,
      bindings: [{ alg: 'io.iscc.v0', value }],
      manifestId: 'urn:c2pa:0c9f5f1e-2f5c-4a3e-9a52-6e8f7f1f3c11',
    });
    const report = await new native.ManifestValidator(anchorLists(rootPem)).validate(bytes);
    expect(report).toMatchObject({
      outcome: 'accepted',
      manifestId: 'urn:c2pa:0c9f5f1e-2f5c-4a3e-9a52-6e8f7f1f3c11',
      trusted: true,
      bindings: [{ alg: 'io.iscc.v0', value, units: [{ mainType: 3 }, { mainType: 4 }] }],
    });
  });

  it('rejects invalid input with the reason', async () => {
    const request = { chainPem: '', keyPem: '', title: '', format: '', bindings: [] };
    expect(() =>
      native.signManifest({ ...request, algorithm: 'es256', assetHash: Buffer.alloc(31) }),
    ).toThrow('assetHash must be the 32 bytes of a SHA-256');
    await expect(native.signManifest({ ...request, algorithm: 'es256', assetHash })).rejects.toThrow(
      'the manifest cannot be signed',
    );
  });
});
