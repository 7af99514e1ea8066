/** A hub that shows another history is frozen, with the evidence, and the others go on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isccd } from '../support/command.js';
import {
  assetCount,
  env,
  hub,
  service,
  start,
  stateOf,
  TEST_MS_MAX,
  until,
  useNode,
} from './support/one-node.js';

useNode();

describe('a node', { timeout: TEST_MS_MAX }, () => {
  it.each([
    ['longer', 900],
    ['shorter', 450],
  ])(
    'freezes a hub that forks into a %s log, keeps the evidence, and follows the others',
    async (_, size) => {
      const [forked, other] = [await hub(1, 700), await hub(2, 100)];
      await start();
      await until(forked, 'following', 700);
      const before = await assetCount();
      forked.fork(400, size);
      await until(forked, 'frozen', 700);
      const grown = other.assets.length;
      other.append(24);
      await until(other, 'following', 124);
      expect(await stateOf(forked)).toMatchObject({ ok: false, alarm: { kind: 'fork', evidence: 1 } });
      await service?.kill();
      await start();
      await until(forked, 'frozen', 700);
      expect(await assetCount()).toBe(before + other.assets.length - grown);
      const status = await isccd(['network', 'status', '--url', String(service?.urls.search)], { env });
      expect(status).toMatchObject({ code: 1, stdout: expect.stringContaining('frozen') });
    },
  );

  it.each([
    ['longer', 14_000],
    ['equally long', 12_000],
  ])('freezes a hub whose log is %s after a fork while it is being read', async (_, size) => {
    const forked = await hub(1, 12_000);
    forked.delayMs = 100;
    await start();
    for (let cursor = 0; cursor === 0; cursor = (await stateOf(forked))?.cursor ?? 0) await sleep(20);
    forked.fork(600, size);
    const read = async () => (await stateOf(forked))?.cursor ?? 0;
    for (let alarm = false; !alarm; alarm = (await stateOf(forked))?.state === 'frozen') await sleep(100);
    expect(await stateOf(forked)).toMatchObject({ ok: false, alarm: { kind: 'fork', evidence: 1 } });
    expect(await read()).toBeLessThan(12_000);
    await service?.kill();
    await start();
    await until(forked, 'frozen', await read());
  });
});
