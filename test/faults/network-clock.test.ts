/** The wall clock jumps while a node follows a hub: what it does depends on the monotonic clock only. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HubDouble } from '../network/support/hub-double.js';
import { Node } from '../network/support/node.js';
import { build } from './support/preload.js';

const DAY_SECONDS = 86_400;
const POLLS = 5;
/** The poll interval of the nodes is one second, and each pause at most a tenth shorter. */
const PAUSE_MS_MIN = 900;
/** Of timers, that fire up to a millisecond early, and of requests on their way. */
const TOLERANCE_MS = 300;
const WAIT_MS_MAX = 30_000;

async function started() {
  const hub = await HubDouble.start(1, 300);
  const node = await Node.create(hub);
  onTestFinished(async () => {
    await node.remove();
    await hub.stop();
  });
  const shift = path.join(node.folder, 'shift');
  const library = build('shift-clock.c', node.folder);
  Object.assign(node.env, { LD_PRELOAD: library, CLOCK_SHIFT: shift, ISCCD_METRICS_PUBLIC: 'true' });
  await node.start();
  await node.until(hub, 'following', 300);
  return { hub, node, shift };
}

const pollsOf = (hub: HubDouble) => hub.requests.filter((request) => request.endsWith('/checkpoint')).length;

/** Waits for so many polls; returns the time in ms. */
async function polled(hub: HubDouble, count: number): Promise<number> {
  const [before, begun] = [pollsOf(hub), performance.now()];
  await expect.poll(() => pollsOf(hub) - before, { timeout: WAIT_MS_MAX }).toBeGreaterThanOrEqual(count);
  return performance.now() - begun;
}

/** Seconds between the last and the next poll that a node shows, which it does between two polls. */
async function pauseShown(node: Node, hub: HubDouble): Promise<number> {
  let pauseSeconds = Number.NaN;
  const shown = async () => {
    const status = await node.state(hub);
    pauseSeconds = secondsFromNow(status?.next_poll) - secondsFromNow(status?.last_poll);
    return status?.next_poll;
  };
  await expect.poll(shown, { timeout: WAIT_MS_MAX, interval: 20 }).toEqual(expect.any(String));
  return pauseSeconds;
}

/** Seconds between now and a time that a node shows. */
const secondsFromNow = (time: string | null | undefined) => (Date.parse(String(time)) - Date.now()) / 1000;

test.skipIf(process.platform !== 'linux').each([
  ['back', -DAY_SECONDS],
  ['forward', DAY_SECONDS],
])(
  'a clock that is set %s by a day changes the times shown, not the polls',
  {
    timeout: 2 * WAIT_MS_MAX,
  },
  async (_, seconds) => {
    const { hub, node, shift } = await started();
    await writeFile(shift, String(seconds));
    expect(await polled(hub, POLLS)).toBeGreaterThan((POLLS - 1) * PAUSE_MS_MIN - TOLERANCE_MS);
    hub.append(40);
    const status = await node.until(hub, 'following', 340);
    await node.expectAssets(hub);
    // The clock of the node was set indeed.
    expect(Math.abs(secondsFromNow(status.last_poll) - seconds)).toBeLessThan(WAIT_MS_MAX / 1000);
    const pauseSeconds = await pauseShown(node, hub);
    expect(pauseSeconds).toBeGreaterThan(0);
    expect(pauseSeconds).toBeLessThan(2);
    expect(status).toMatchObject({ ok: true, alarm: null });
    const metrics = await (await node.get('/metrics')).text();
    const listAge = Number(/^isccd_network_hub_list_age_seconds (\S+)/m.exec(metrics)?.[1]);
    expect(listAge).toBeGreaterThanOrEqual(0);
    expect(listAge).toBeLessThan(WAIT_MS_MAX / 1000);
  },
);

test.skipIf(process.platform !== 'linux')(
  'a jump during an outage neither raises the alarm nor delays the retry',
  {
    timeout: 3 * WAIT_MS_MAX,
  },
  async () => {
    const { hub, node, shift } = await started();
    hub.failure = 503;
    await node.until(hub, 'unreachable', 300);
    for (const seconds of [DAY_SECONDS, -DAY_SECONDS]) {
      await writeFile(shift, String(seconds));
      await polled(hub, 2);
      expect(await node.state(hub)).toMatchObject({ state: 'unreachable', alarm: null });
    }
    await rm(shift);
    hub.failure = undefined;
    hub.append(1);
    await node.until(hub, 'following', 301);
  },
);
