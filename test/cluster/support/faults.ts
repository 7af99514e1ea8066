/** What happens to the cluster under load. After each fault, everything works again. */
import type { ServiceName } from '../../../src/compose/service-names.js';
import { SERVICE_NAMES } from '../../../src/compose/service-names.js';
import type { Random } from '../../support/torture.js';
import { type Cluster, POSTGRES, VOLUMES } from './cluster.js';
import { instancesOf } from './compose.js';
import type { Kind, Ledger } from './ledger.js';
import type { LimitProbe } from './limits.js';
import type { Load } from './load.js';

const KINDS: readonly Kind[] = ['files', 'assets', 'manifests', 'reads', 'deletions'];
const GROWTH = 4;
/** Of the proxy's log. */
const SHOWN_CHARS = 3000;

export interface Stage {
  readonly cluster: Cluster;
  readonly load: Load;
  readonly ledger: Ledger;
  readonly limits: LimitProbe;
  readonly random: Random;
}

/** Waits until requests of all kinds succeed. */
export async function untilServed({ cluster, ledger }: Stage, kinds = KINDS): Promise<void> {
  const before = kinds.map((kind) => ledger.count(kind));
  await cluster.until(`more ${kinds.join(', ')} are acknowledged`, async () =>
    kinds.every((kind, at) => ledger.count(kind) >= (before[at] as number) + GROWTH),
  );
}

const instance = (service: ServiceName, at: number) => instancesOf(service)[at] as string;

/** Restarts all instances, half of them at a time. No request fails. */
export async function rollingRestart(stage: Stage): Promise<void> {
  const { cluster, ledger } = stage;
  const before = ledger.unavailable.length;
  for (const at of [0, 1]) {
    const names = SERVICE_NAMES.map((service) => instance(service, at));
    const statuses = await Promise.all(names.map((name) => cluster.program(name).stop()));
    for (const [number, status] of statuses.entries())
      if (status !== 0) ledger.violations.push(`${names[number]} ended with ${status}`);
    await untilServed(stage);
    await cluster.launch(...names);
    await untilServed(stage);
  }
  const failed = ledger.unavailable.slice(before);
  if (failed.length === 0) return;
  const reasons = cluster.program('proxy').output.slice(-SHOWN_CHARS);
  ledger.violations.push(`${failed.length} failed in a rolling restart: ${failed[0]}\n${reasons}`);
}

/** kill -9 of an instance of each service. The others serve meanwhile. */
export async function killInstances(stage: Stage): Promise<void> {
  const { cluster, random, load } = stage;
  for (const service of SERVICE_NAMES) {
    const name = instance(service, random.below(2));
    load.isCalm = false;
    await cluster.program(name).kill();
    await untilServed(stage);
    await cluster.launch(name);
    load.isCalm = true;
  }
  await untilServed(stage);
}

/** kill -9 of a volume server. Each object has a copy on another one. */
export async function killVolume(stage: Stage): Promise<void> {
  const { cluster, random } = stage;
  const name = random.pick(VOLUMES);
  await cluster.program(name).kill();
  await untilServed(stage);
  await cluster.launch(name);
  await untilServed(stage);
}

/** kill -9 of Redis, which loses its data. Limits count per process meanwhile; nothing fails. */
export async function killRedis(stage: Stage): Promise<void> {
  const { cluster, limits } = stage;
  limits.suspend();
  await cluster.program('redis').kill();
  await untilServed(stage);
  await cluster.launch('redis');
  await limits.resume();
  await untilServed(stage);
}

/** kill -9 of the primary; the standby is promoted, and the former primary becomes its standby. */
export async function failOver(stage: Stage): Promise<void> {
  const { cluster, load } = stage;
  const primary = await cluster.primary();
  const standby = POSTGRES.find((name) => name !== primary) as string;
  load.isCalm = false;
  await cluster.program(primary).kill();
  await cluster.query(standby, 'select pg_promote()');
  await untilServed(stage);
  await cluster.launch(primary);
  await cluster.untilSynchronous();
  await untilServed(stage);
  load.isCalm = true;
}

export const FAULTS = { rollingRestart, killInstances, killVolume, killRedis, failOver } as const;
