/**
 * Power losses of the codes, store and search services. A recording of all writes, syncs and changes of names gives the
 * folders that a power loss at any moment would leave. Everything that was acknowledged by then is there, and whole.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random, torture } from '../support/torture.js';
import { Ledger } from './support/ledger.js';
import { Disk, type Names, recorded, recordingTo, type WriteRecord } from './support/power-loss.js';
import { type Served, SUBJECTS, type Subject } from './support/power-subjects.js';

const { size: LOSSES, seed, cases, report } = torture('power-loss');
/** Power losses without syncs; one that loses something is enough. */
const CONTROL_LOSSES = 4;
/** Services that restart at the same time. */
const PARALLEL = 2;

interface Recording {
  readonly records: readonly WriteRecord[];
  readonly ledger: Ledger;
}

let folder: string;
let running: Served[] = [];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-power-'));
});
afterAll(async () => {
  await Promise.all(running.map((service) => service.kill()));
  await rm(folder, { recursive: true, force: true });
});

async function started(subject: Subject, place: string, env?: Record<string, string>): Promise<Served> {
  const service = await subject.start(place, env);
  running.push(service);
  return service;
}

async function killed(service: Served): Promise<void> {
  await service.kill();
  running = running.filter((one) => one !== service);
}

/** Records the writes of a service from its first start on. */
async function recording(subject: Subject): Promise<Recording> {
  const root = path.join(folder, subject.name);
  await mkdir(root);
  const log = path.join(folder, `${subject.name}.log`);
  const service = await started(subject, root, recordingTo(log, root, folder));
  const ledger = new Ledger();
  await subject.work(service.url, ledger);
  await killed(service);
  const records = await recorded(log);
  const disk = new Disk(subject.names);
  for (const record of records) disk.apply(record);
  await disk.expectEqual(root);
  return { records, ledger };
}

/** A moment after the first acknowledged change: the power fails just before the record with this number. */
function momentOf({ records, ledger }: Recording, random: Random): number {
  const [first = 0n] = ledger.acknowledged;
  const begin = records.findIndex(({ time }) => time > first);
  return begin + random.below(records.length - begin + 1);
}

/** The folder that a power loss leaves. Returns when it happened. */
async function lose(
  { records }: Recording,
  { at, names, random, place }: { at: number; names: Names; random: Random; place: string },
): Promise<bigint> {
  const disk = new Disk(names);
  for (const record of records.slice(0, at)) disk.apply(record);
  await disk.writeAfterLoss(place, random);
  return records[at]?.time ?? process.hrtime.bigint();
}

/** Ids whose state after a restart contradicts what was acknowledged before the loss. */
async function contradictions(
  subject: Subject,
  { ledger }: Recording,
  place: string,
  time: bigint,
): Promise<string[]> {
  const service = await started(subject, place);
  const found: string[] = [];
  for (const id of ledger.ids) {
    const wanted = ledger.before(time, id);
    const { state, isWhole } = await subject.read(service.url, id);
    if (!isWhole) found.push(`${id} is not whole`);
    else if (wanted !== 'unknown' && state !== wanted) found.push(`${id} is ${state}, not ${wanted}`);
  }
  await killed(service);
  return found;
}

describe.skipIf(process.platform !== 'linux').each(SUBJECTS)(
  'a power loss of $name',
  { timeout: 120_000 + LOSSES * 20_000 },
  (subject) => {
    let made: Recording;
    beforeAll(async () => {
      made = await recording(subject);
    }, 120_000);

    it(`loses nothing that was acknowledged (${LOSSES} times)`, async () => {
      const moments = new Set<number>();
      let losses = 0;
      const pending = cases(1 / SUBJECTS.length);
      const worker = async () => {
        for (const number of pending) {
          losses += 1;
          const random = new Random(seed, number);
          const at = momentOf(made, random);
          const place = path.join(folder, `${subject.name}-${number}`);
          const time = await lose(made, { at, names: subject.names, random, place });
          const moment = ledgerSizeAt(made.ledger, time);
          moments.add(moment);
          expect([number, at, await contradictions(subject, made, place, time)]).toEqual([number, at, []]);
          await rm(place, { recursive: true });
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, worker));
      // The losses came in the middle of the work.
      if (losses > 5) expect(moments.size).toBeGreaterThan(2);
      const worst = `0 lost of ${made.ledger.acknowledged.length} ${subject.name} changes`;
      report({ tried: losses, survived: losses, worst });
    });

    it('loses what was acknowledged on a disk that ignores syncs: the simulation can fail', async () => {
      let lost = 0;
      for (let number = 0; number < CONTROL_LOSSES && lost === 0; number += 1) {
        const random = new Random(seed, number);
        const place = path.join(folder, `${subject.name}-control-${number}`);
        const time = await lose(made, { at: made.records.length, names: 'careless', random, place });
        // Such a folder may keep the service from starting.
        lost = await contradictions(subject, made, place, time).then(
          ({ length }) => length,
          () => 1,
        );
      }
      expect(lost).toBeGreaterThan(0);
    });
  },
);

/** How many changes were acknowledged before a moment. */
function ledgerSizeAt({ acknowledged }: Ledger, time: bigint): number {
  return acknowledged.filter((one) => one < time).length;
}
