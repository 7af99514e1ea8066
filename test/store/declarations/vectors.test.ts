/** Declared content and signatures, against vectors from two other implementations. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isIsccId } from '../../../src/iscc/iscc-id.js';
import { didDocument, didOf } from '../../../src/platform/signing/did-web.js';
import { signJson } from '../../../src/platform/signing/iscc-sig.js';
import { canonicalize, type Json } from '../../../src/platform/signing/jcs.js';
import { KeyInvalid, SigningKey } from '../../../src/platform/signing/key.js';
import { declarableContent } from '../../../src/services/store/declarations/declared-content.js';
import {
  declarationNote,
  dialectOf,
  hubIdOf,
  nonce,
} from '../../../src/services/store/declarations/iscc-note.js';
import { indexedBinding } from '../support/fixtures.js';

interface Vectors {
  fromBindings: {
    name: string;
    blocks: { alg: string; value: string }[];
    declaration: { iscc_code: string; datahash: string; units: string[] } | null;
  }[];
  signed: {
    kind: string;
    secretKey: string;
    controller: string | null;
    unsigned: Record<string, Json>;
    payload: string;
    signed: Record<string, Json>;
  }[];
  secretKeys: {
    valid: { secretKey: string; seedHex: string; publicKey: string }[];
    invalid: { secretKey: string; why: string }[];
  };
  didDocuments: { mstoreUrl: string; did: string; document: { verificationMethod: Json[] } }[];
  nonces: { nonce: string; hubId: number }[];
  isccIds: { isccId: string; valid: boolean }[];
}

const file = new URL('../../fixtures/c2pa/vectors/declaration.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors;

describe('declared content', () => {
  it.each(vectors.fromBindings)('$name', ({ blocks, declaration }) => {
    const bindings = blocks.map(({ alg, value }) => indexedBinding(alg, Buffer.from(value, 'base64')));
    const content = declarableContent(bindings);
    const { iscc_code, datahash, units } = declaration ?? {};
    expect(content).toEqual(declaration === null ? undefined : { isccCode: iscc_code, datahash, units });
  });

  it('is undefined for bytes that are not an ISCC-SEQ', () => {
    expect(declarableContent([indexedBinding('io.iscc.v0', Buffer.from('xyz'))])).toBeUndefined();
  });
});

describe('signatures', () => {
  it.each(vectors.signed)('$kind of $controller', (vector) => {
    const key = SigningKey.parse(vector.secretKey);
    const note = signJson(vector.unsigned, key, vector.controller ?? undefined);
    expect(note).toEqual(vector.signed);
    const { proof: _, ...unproven } = note.signature;
    expect(canonicalize({ ...vector.unsigned, signature: unproven })).toBe(vector.payload);
  });

  it('match the published check value', () => {
    const key = SigningKey.parse('z3u2So9EAtuYVuxGog4F2ksFGws8YT7pBPs4xyRbv3NJgrNA');
    expect(key.publicKey).toBe('z6MkpFpVngrAUTSY6PagXa1x27qZqgdmmy3ZNWSBgyFSvBSx');
    expect(signJson({ hello: 'world' }, key).signature.proof).toBe(
      'z5D274u1mgx4zgWgDZb2iJJJMGTPwDh6EgJjFdcTSwyXMH13Sb4HqmBF9JJRFTr7NJnpxHb2d4uvLZngdAoMeFDnk',
    );
  });
});

describe('keys', () => {
  it.each(vectors.secretKeys.valid)('$publicKey', ({ secretKey, seedHex, publicKey }) => {
    expect(SigningKey.parse(secretKey).publicKey).toBe(publicKey);
    expect(new SigningKey(Buffer.from(seedHex, 'hex')).publicKey).toBe(publicKey);
  });

  it.each(vectors.secretKeys.invalid)('refuses a key with $why', ({ secretKey }) => {
    expect(() => SigningKey.parse(secretKey)).toThrow(KeyInvalid);
  });

  it('do not serialize their secret', () => {
    const key = SigningKey.parse(vectors.secretKeys.valid[0]?.secretKey ?? '');
    expect(JSON.stringify(key)).toBe(JSON.stringify({ publicKey: key.publicKey }));
  });
});

it.each(vectors.didDocuments)('did document of $mstoreUrl', ({ mstoreUrl, did, document }) => {
  const [method] = document.verificationMethod as [{ publicKeyMultibase: string }];
  expect(didOf(mstoreUrl)).toBe(did);
  expect(didDocument(did, method.publicKeyMultibase)).toEqual(document);
});

it.each(vectors.nonces)('nonce $nonce', (vector) => {
  expect(hubIdOf(vector.nonce)).toBe(vector.hubId);
  expect(nonce(vector.hubId, Buffer.from(vector.nonce, 'hex'))).toBe(vector.nonce);
  expect(nonce(vector.hubId)).toMatch(new RegExp(`^${vector.nonce.slice(0, 3)}[0-9a-f]{29}$`));
});

it.each(vectors.isccIds)('ISCC-ID $isccId', ({ isccId, valid }) => {
  expect(isIsccId(isccId)).toBe(valid);
});

it('a note has exactly the members of its dialect', () => {
  const key = SigningKey.parse(vectors.secretKeys.valid[0]?.secretKey ?? '');
  const content = { isccCode: 'ISCC:K', datahash: '1e20', units: [] };
  const signer = { key, controller: 'did:web:store.example', hubId: 7 };
  const members = ['iscc_code', 'datahash', 'nonce', 'timestamp', 'gateway', 'units', 'signature'];
  const now = Date.parse('2026-11-21T02:29:48.007Z');
  const old = declarationNote(content, 'https://store.example/x', '2025-08', signer, now);
  const today = declarationNote(content, 'https://store.example/x', '0.8.0', signer, now);
  expect(Object.keys(old)).toEqual(members);
  expect(Object.keys(today)).toEqual(['$schema', ...members]);
  expect([dialectOf(old), dialectOf(today)]).toEqual(['2025-08', '0.8.0']);
  expect(today.timestamp).toBe('2026-11-21T02:29:48.007Z');
});
