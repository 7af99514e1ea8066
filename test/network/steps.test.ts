/** Single polls of a recorded log, served over HTTP: what was accepted before, what the hub shows, and what follows. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { FollowedIndex } from '../../src/native.js';
import { didOfOrigin } from '../../src/network/did-document.js';
import { HubClient } from '../../src/network/hub-client.js';
import { LogFiles } from '../../src/network/log-files.js';
import { poll } from '../../src/network/poll.js';
import { type HubRow, NO_MEMORY, newRow, settle } from '../../src/network/state.js';
import { openEngine } from '../../src/services/search/engine/open.js';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/network');
const read = (name: string) => JSON.parse(readFileSync(path.join(FIXTURES, name), 'utf8'));
const INTERVAL_MS = 1000;

interface Step {
  readonly name: string;
  /** Log and size, e.g. `a3`. */
  readonly acceptedBefore: string | null;
  readonly serves: 'log-a' | 'log-b';
  readonly checkpoint: string;
  /** Says that the did:web document has the rotated key. */
  readonly trusted?: string;
  readonly expect: {
    readonly state: HubRow['state'];
    readonly acceptedAfter: string;
    readonly kind?: string;
    readonly event?: string;
  };
}

const { steps } = read('steps.json') as { steps: readonly Step[] };
const { hubId, origin, key, rotatedKey } = read('logs.json');

let server: Server;
let client: HubClient;
/** What the hub shows at present. */
let served: Pick<Step, 'serves' | 'checkpoint' | 'trusted'>;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = await resource(String(request.url)).catch(() => undefined);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = new HubClient({ allowed: new Set(['127.0.0.1']) });
});

afterAll(async () => {
  await client.close();
  server.close();
});

async function resource(url: string): Promise<string | Buffer | undefined> {
  if (url === '/log/checkpoint') return served.checkpoint;
  if (url === '/.well-known/did.json') return served.trusted === undefined ? undefined : didDocument();
  const file = url.replace('/log/', '');
  // Both logs have the same first bundle; it is stored once.
  const folder = file === 'tile/entries/000' ? 'log-a' : served.serves;
  return readFile(path.join(FIXTURES, folder, file));
}

function didDocument(): string {
  const did = didOfOrigin(origin);
  const method = { id: `${did}#k`, type: 'Multikey', controller: did, publicKeyMultibase: rotatedKey };
  return JSON.stringify({ id: did, assertionMethod: [method] });
}

/** The signed note of a log at a size, e.g. `a3`. */
function noteOf(accepted: string): string {
  const [letter, size] = [accepted.slice(0, 1), accepted.slice(1)];
  return readFileSync(path.join(FIXTURES, `log-${letter}/checkpoint-${size}`), 'utf8');
}

async function followedIndex(): Promise<FollowedIndex> {
  const engine = await openEngine('memory://');
  onTestFinished(() => engine.close());
  await engine.whenLoaded();
  return engine.followLogs('idptest', 0);
}

describe('a poll', () => {
  it.each(steps)('$name', async ({ acceptedBefore, expect: expected, ...shown }) => {
    const index = await followedIndex();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const signal = AbortSignal.timeout(30_000);
    let keyChanges = 0;
    const polled = async (row: HubRow, show: typeof served) => {
      served = show;
      let after = row;
      const outcome = await poll(row, {
        hub: { hubId, url, origin, active: true, keys: [key] },
        index,
        signal,
        keys: 'both',
        files: new LogFiles(client, url, signal),
        deletes: true,
        mirrors: false,
        didAge: { readMs: performance.now() },
        onRow: (stored) => {
          after = stored;
        },
        onDid: () => undefined,
        onKeyChanged: () => {
          keyChanges += 1;
        },
        onCommit: () => undefined,
      });
      const clock = { monotonicMs: performance.now(), wall: new Date().toISOString(), random: 0.5 };
      return settle(after, NO_MEMORY, outcome, INTERVAL_MS, clock).row;
    };
    const before = newRow({ url, origin });
    const accepted =
      acceptedBefore === null
        ? before
        : await polled(before, { serves: 'log-a', checkpoint: noteOf(acceptedBefore) });
    const row = await polled(accepted, shown);
    const [, size, root] = noteOf(expected.acceptedAfter).split('\n');
    expect(row).toMatchObject({
      state: expected.state,
      cursor: Number(size),
      head: { size: Number(size), root },
    });
    expect(row.alarm?.kind).toBe(expected.kind);
    expect(keyChanges).toBe(expected.event === 'key_changed' ? 1 : 0);
    expect(await index.evidence(hubId)).toHaveLength(expected.kind === undefined ? 0 : 1);
  });
});

it('trusts no key that the did:web document lacks, in later polls either', async () => {
  const index = await followedIndex();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signal = AbortSignal.timeout(30_000);
  // The document has the rotated key only; the note is still signed by the other one.
  served = { serves: 'log-a', checkpoint: noteOf('a3'), trusted: 'rotated' };
  let row: HubRow = { ...newRow({ url, origin }), did: { keys: [key], read: '2026-01-01T00:00:00.000Z' } };
  const didAge = { readMs: performance.now() - 25 * 3_600_000 };
  for (let polls = 0; polls < 3; polls += 1) {
    const outcome = await poll(row, {
      hub: { hubId, url, origin, active: true, keys: [] },
      index,
      signal,
      keys: 'did',
      files: new LogFiles(client, url, signal),
      deletes: true,
      mirrors: false,
      didAge,
      onRow: (stored) => {
        row = stored;
      },
      onDid: (read) => {
        row = read;
      },
      onKeyChanged: () => undefined,
      onCommit: () => undefined,
    });
    expect(outcome.kind).toBe('unverified');
  }
  expect(row.did?.keys).toEqual([rotatedKey]);
});
