/**
 * The store over HTTP beside validators of others: c2pa-python, which most of its clients use, and encypher-c2pa, which shares no
 * code with it. What the store accepts and serves must be valid there, but for the hash of the asset, which they do not get.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabases, testDatabases } from '../support/databases.js';
import { INSTALL_MAX_MS, pythonWith } from '../support/set-up.js';
import { acceptedSidecars, bytesOf, SIDECARS, TRUST_ANCHORS } from './support/fixtures.js';
import { type StoreClient, startStore } from './support/server.js';

const run = promisify(execFile);
const FOLDER = path.resolve(import.meta.dirname, '../fixtures/c2pa');
const CASES = path.join(FOLDER, 'cases');
const PACKAGES = ['c2pa-python==0.38.1', 'encypher-c2pa==1.7.1'];

/**
 * Without the asset, its hash can't match. They do not trust all signers that the store accepts. An identity that is not trusted,
 * has expired or can't be looked up does not make a manifest invalid.
 */
const IGNORED = new RegExp(
  [
    '^assertion\\.(?:dataHash|bmffHash|boxesHash)\\.(?:mismatch|malformed)$',
    '^assertion\\.boxesHash\\.unknownBox$',
    '^signingCredential\\.untrusted$',
    '^cawg\\.x509\\.(?:credential\\.untrusted|signature\\.outside_validity)$',
    '^cawg\\.ica\\.(?:did_unavailable|valid_until\\.invalid)$',
  ].join('|'),
);

/** What the others refuse and the store accepts, and why. */
const STRICTER: Readonly<Record<string, readonly ('c2paPython' | 'encypher')[]>> = {
  // They need the files of a collection.
  'ok-collection-hash': ['c2paPython', 'encypher'],
  // encypher-c2pa finds a signature by its box label alone, c2pa by the address in the claim.
  'sig-label-1': ['encypher'],
  'sig-label-x': ['encypher'],
  // encypher-c2pa compares the action with the redaction in another form.
  'red-removed': ['encypher'],
  // c2pa-python 0.38.1 reads x5chain in the protected header only.
  'chain-unprotected': ['c2paPython'],
};

interface Judged {
  readonly c2paPython: readonly string[];
  readonly encypher: readonly string[];
}

interface Case {
  readonly name: string;
  readonly expect: {
    readonly status: number;
    readonly trusted?: boolean;
    readonly codes?: readonly string[] | null;
  };
  readonly c2paPython: readonly string[];
  /** Why the verdicts differ. */
  readonly note?: string | null;
}

let python: string;
let databases: TestDatabases;
let folder: string;
beforeAll(async () => {
  python = await pythonWith(...PACKAGES);
  databases = await testDatabases('sqlite');
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-judged-'));
}, INSTALL_MAX_MS);
afterAll(async () => {
  await databases.stop();
  await rm(folder, { recursive: true, force: true });
});

async function judged(anchors: string, files: readonly string[]): Promise<Judged[]> {
  const script = path.join(import.meta.dirname, 'support/judge.py');
  const args = [script, anchors, path.join(FOLDER, 'certs/eku.cfg'), ...files];
  const { stdout } = await run(python, args, { maxBuffer: 64 * 1024 * 1024 });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Judged);
}

const failures = (codes: readonly string[]) => codes.filter((code) => !IGNORED.test(code));

/** Names of the manifests that a validator refuses, each with its name and the first reason. */
function refusals(names: readonly string[], verdicts: readonly Judged[]): string[] {
  return names.flatMap((name, at) =>
    (['c2paPython', 'encypher'] as const).flatMap((validator) => {
      const [first] = failures(verdicts[at]?.[validator] ?? ['missing']);
      const isExplained = STRICTER[name]?.includes(validator) ?? false;
      return first === undefined || isExplained ? [] : [`${validator} refuses ${name}: ${first}`];
    }),
  );
}

/** Stores manifests and writes what the store serves to files. */
async function served(
  store: StoreClient,
  manifests: readonly { readonly name: string; readonly bytes: Buffer }[],
) {
  const files: string[] = [];
  for (const { name, bytes } of manifests) {
    const uploaded = await store.upload(bytes);
    expect(uploaded.status, name).toBe(200);
    const { manifestId } = (await uploaded.json()) as { manifestId: string };
    const file = path.join(folder, `${name}.c2pa`);
    await writeFile(file, Buffer.from(await (await store.get(manifestId)).arrayBuffer()));
    files.push(file);
  }
  return files;
}

describe('the sidecars', { timeout: 300_000 }, () => {
  it('that the store accepts and serves are valid for both', async () => {
    const store = await startStore(await databases.create());
    const accepted = acceptedSidecars().map((item) => ({ name: item.name, bytes: bytesOf(item) }));
    const files = await served(store, accepted);
    await store.stop();
    const names = accepted.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(30);
    expect(refusals(names, await judged(TRUST_ANCHORS, files))).toEqual([]);
  });

  it('that it refuses by a rule of the C2PA are invalid for c2pa-python, too', async () => {
    // Codes `manifest.*` are rules of the store: limits of bindings, forms of ids and strict framing.
    const refused = SIDECARS.filter(
      ({ expect: { status, code } }) => status === 400 && code?.startsWith('manifest.') === false,
    );
    const verdicts = await judged(
      TRUST_ANCHORS,
      refused.map(({ file }) => path.join(FOLDER, file)),
    );
    const isAccepted = (_: unknown, at: number) =>
      (verdicts[at]?.c2paPython ?? []).every((code) => /^assertion\.\w+Hash\.mismatch$/.test(code));
    expect(refused.length).toBeGreaterThan(10);
    expect(refused.filter(isAccepted).map(({ name }) => name)).toEqual([]);
  });
});

describe('the cases', { timeout: 300_000 }, () => {
  it('have the recorded verdicts of the store and of c2pa-python, and each difference is explained', async () => {
    const { items } = JSON.parse(await readFile(path.join(CASES, 'index.json'), 'utf8')) as {
      items: Case[];
    };
    const anchors = path.join(CASES, 'anchors.pem');
    const verdicts = await judged(
      anchors,
      items.map(({ name }) => path.join(CASES, `${name}.c2pa`)),
    );
    const unexplained: string[] = [];
    for (const [at, { name, expect: wanted, c2paPython, note }] of items.entries()) {
      const store = await startStore(await databases.create(), { MSTORE_TRUST_ANCHORS: anchors });
      const response = await store.upload(await readFile(path.join(CASES, `${name}.c2pa`)));
      const body = (await response.json()) as { code?: string };
      await store.stop();
      expect([name, response.status]).toEqual([name, wanted.status]);
      if (wanted.codes) expect(wanted.codes).toContain(body.code);
      const said = verdicts[at]?.c2paPython ?? [];
      // A failure can be reported more than once; texts of errors are recorded cut.
      const distinct = (codes: readonly string[]) => [...new Set(codes.map((code) => code.slice(0, 100)))];
      expect([name, distinct(said).sort()]).toEqual([name, distinct(c2paPython).sort()]);
      const isSame = (failures(said).length === 0) === (response.status === 200);
      if (!isSame && !note) unexplained.push(`${name}: ${said.join(', ')}`);
    }
    expect(unexplained).toEqual([]);
  });
});
