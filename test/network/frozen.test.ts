/** A frozen hub stays untrusted: what it signs then is evidence at most, and cannot make a node read without end. */
import { expect, it, onTestFinished } from 'vitest';
import { HubClient } from '../../src/network/hub-client.js';
import { LogFiles } from '../../src/network/log-files.js';
import { poll } from '../../src/network/poll.js';
import { type HubRow, NO_MEMORY, newRow, settle } from '../../src/network/state.js';
import { openEngine } from '../../src/services/search/engine/open.js';
import { HubDouble } from './support/hub-double.js';

const TILE_BYTES = 256 * 32;

it('reads no files for a checkpoint of a frozen hub that is larger than any log', async () => {
  const hub = await HubDouble.start(5, 300);
  const engine = await openEngine('memory://');
  const client = new HubClient({ allowed: new Set(['127.0.0.1']) });
  onTestFinished(async () => {
    await client.close();
    await engine.close();
    await hub.stop();
  });
  const index = await engine.followLogs('idptest', 0);
  let row: HubRow = newRow(hub);
  const polled = async () => {
    const signal = AbortSignal.timeout(4_000);
    const outcome = await poll(row, {
      hub: { hubId: 5, url: hub.url, origin: hub.origin, active: true, keys: [hub.listedKey] },
      index,
      signal,
      keys: 'list',
      files: new LogFiles(client, hub.url, signal),
      deletes: true,
      mirrors: false,
      didAge: { readMs: 0 },
      onRow: (stored) => {
        row = stored;
      },
      onDid: () => undefined,
      onKeyChanged: () => undefined,
      onCommit: () => undefined,
    });
    row = settle(row, NO_MEMORY, outcome, 1, { monotonicMs: 0, wall: '', random: 0.5 }).row;
    return outcome.kind;
  };
  expect(await polled()).toBe('progress');
  hub.fork(200, 400);
  expect([await polled(), row.state]).toEqual(['frozen', 'frozen']);

  hub.claimedSize = Number.MAX_SAFE_INTEGER;
  let tiles = 0;
  hub.respond = (path, response) => {
    if (!path.includes('/tile/')) return false;
    tiles += 1;
    response.end(Buffer.alloc(TILE_BYTES));
    return true;
  };
  expect([await polled(), row.state, tiles]).toEqual(['unverifiable', 'frozen', 0]);
});
