/** `isccd verify [DIR]`: reads and checks all data of data directories or of a backup. */
import { fork } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { native } from '../../native.js';
import { present } from '../../platform/present.js';
import { printable } from '../../platform/printable.js';
import { digestOf, type Manifest, readManifest } from '../../storage/data/backup-manifest.js';
import { type DataKind, readFormat } from '../../storage/data/format.js';
import type { Checked, Counts, Problem } from '../../storage/data/port.js';
import { type AuditHead, parsedHead } from '../../storage/database/audit-chain.js';
import { configuredPlaces, type DataPlace, isFolder, NO_DATA, placesIn } from '../input/data-places.js';
import { CommandFailed, EXIT_CONFIGURATION, reason } from '../terminal/failure.js';
import { counted, countsLine, StatusLine } from '../terminal/lines.js';
import type { VerifyJob, VerifyMessage } from './verify-process.js';

const PROCESS = fileURLToPath(new URL('./verify-process.js', import.meta.url));

interface Report {
  readonly counts: Partial<Record<DataKind, Counts>>;
  /** Of indexes, by name. */
  readonly digests: Record<string, string>;
  /** Of the store, if its rows could be read. */
  auditHead?: string;
  logHead?: string;
  readonly problems: Problem[];
  readonly notes: string[];
}

export interface VerifyOptions {
  readonly json?: boolean;
  readonly digests?: boolean;
  /** Of the configured services, the only one whose data is checked. */
  readonly only?: DataKind;
  /** Head of the audit log that was noted before. */
  readonly auditHead?: string;
  /** Head of the store's log that was noted before. */
  readonly logHead?: string;
}

export async function verify(directory: string | undefined, options: VerifyOptions): Promise<void> {
  const wanted = {
    hasDigests: options.digests ?? false,
    ...present({
      earlierHead: earlierHead('--audit-head', options.auditHead),
      earlierLogHead: earlierHead('--log-head', options.logHead),
    }),
  };
  const { places, manifest, sharedIndexes } = await targetsOf(directory, options.only);
  const report = await checkAll(places, new StatusLine(options.json), wanted);
  if (sharedIndexes !== undefined) await checkShared(sharedIndexes, report, options.digests ?? false);
  if (manifest !== undefined && directory !== undefined) await compare(directory, manifest, report);
  print(report, options.json ?? false);
  if (report.problems.length > 0) process.exitCode = 1;
}

function earlierHead(option: string, text: string | undefined): AuditHead | undefined {
  if (text === undefined) return undefined;
  const head = parsedHead(text);
  if (head !== undefined) return head;
  const rule = `${option} must be a head as verify and backup.json have it: a number, a colon and 64 hex digits`;
  throw new CommandFailed(rule, EXIT_CONFIGURATION);
}

async function targetsOf(
  directory: string | undefined,
  only?: DataKind,
): Promise<{ places: DataPlace[]; manifest?: Manifest; sharedIndexes?: string | undefined }> {
  if (directory === undefined) {
    const configured = await configuredPlaces();
    if (only !== undefined) return { places: placesOfKind(configured.places, only) };
    const { places, elsewhere, sharedIndexes } = configured;
    for (const note of elsewhere) process.stderr.write(note);
    if (places.length === 0 && sharedIndexes === undefined)
      throw new CommandFailed(
        'nothing to check: no service has data in the configured folders (isccd check config names them)',
      );
    return { places, sharedIndexes };
  }
  const folder = path.resolve(directory);
  if (!(await isFolder(folder))) throw new CommandFailed(`${folder} is not a folder`);
  const manifest = await readManifest(folder);
  if (manifest === undefined) {
    const places = await placesIn(folder);
    if (places.length === 0) throw new CommandFailed(`${folder} contains ${NO_DATA}`);
    return { places };
  }
  const kinds = Object.keys(manifest.stores) as DataKind[];
  return { places: kinds.map((kind) => ({ kind, folder: path.join(folder, kind) })), manifest };
}

/** @throws {CommandFailed} without such a place */
function placesOfKind(places: readonly DataPlace[], kind: DataKind): DataPlace[] {
  const found = places.filter((place) => place.kind === kind);
  if (found.length > 0) return found;
  throw new CommandFailed(
    `nothing to check: ${kind} has no data in its folder (isccd check config names it)`,
  );
}

/** Indexes in PostgreSQL. */
async function checkShared(location: string, report: Report, hasDigests: boolean): Promise<void> {
  const { verifyDatabase } = await import('../../services/search/postgres/verify.js');
  const onProblem = (key: string, rule: string) => report.problems.push({ store: 'search', key, rule });
  const { counts, digests } = await verifyDatabase(location, onProblem);
  report.counts.search = counts;
  if (hasDigests) Object.assign(report.digests, digests);
}

interface Wanted {
  readonly hasDigests: boolean;
  readonly earlierHead?: AuditHead;
  readonly earlierLogHead?: AuditHead;
}

async function checkAll(places: readonly DataPlace[], line: StatusLine, wanted: Wanted): Promise<Report> {
  const report: Report = { counts: {}, digests: {}, problems: [], notes: [] };
  for (const place of places) {
    await readFormat(place.kind, place.folder);
    const { kind } = place;
    const counts: Record<string, number> = {};
    let isCounted = true;
    for (const job of await jobsOf(place, report, wanted)) {
      const what = job.kind === 'search' ? `${kind} ${job.index}` : kind;
      line.show(`checking ${what}`);
      const checked = await run(job, report.problems, (steps) => line.show(`checking ${what}: ${steps}`));
      Object.assign(counts, checked.counts);
      if (job.kind === 'search' && checked.digest !== undefined) report.digests[job.index] = checked.digest;
      if (checked.auditHead !== undefined) report.auditHead = checked.auditHead;
      if (checked.logHead !== undefined) report.logHead = checked.logHead;
      isCounted &&= checked.counts !== undefined;
      report.notes.push(...checked.notes.map((note) => `${kind}: ${note}`));
    }
    if (isCounted) report.counts[kind] = counts;
  }
  line.clear();
  return report;
}

/** One job per index, so that a damaged index does not hide the others. */
async function jobsOf(
  { kind, folder, databaseUrl, blobsS3 }: DataPlace,
  report: Report,
  { hasDigests: hasDigest, earlierHead, earlierLogHead }: Wanted,
): Promise<VerifyJob[]> {
  switch (kind) {
    case 'codes':
      return [{ kind, folder }];
    case 'store':
      return [{ kind, folder, ...present({ databaseUrl, blobsS3, earlierHead, earlierLogHead }) }];
    case 'search':
      try {
        return (await native.searchIndexNames(folder)).map((index) => ({
          kind,
          folder,
          index,
          hasDigest,
        }));
      } catch (error) {
        report.problems.push({ store: kind, key: folder, rule: `unreadable: ${reason(error)}` });
        return [];
      }
    default:
      return kind satisfies never;
  }
}

/** Never rejects. A process that exits without a final message is reported as a problem. */
function run(job: VerifyJob, problems: Problem[], onSteps: (steps: number) => void): Promise<Checked> {
  const store = job.kind;
  const key = job.kind === 'search' ? job.index : job.folder;
  return new Promise((resolve) => {
    let checked: Checked | undefined;
    let failure: string | undefined;
    const child = fork(PROCESS, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    // Not as an argument: other users see the arguments of a process, and the job may have passwords.
    child.send(job);
    child.on('message', (data) => {
      const message = data as VerifyMessage;
      switch (message.type) {
        case 'problem':
          problems.push({ store, key: message.key, rule: message.rule });
          return;
        case 'steps':
          return onSteps(message.steps);
        case 'done':
          checked = message.checked;
          return;
        case 'failed':
          failure = message.reason;
          return;
        default:
          return message satisfies never;
      }
    });
    child.once('error', (error) => {
      failure = error.message;
    });
    child.once('close', (code, signal) => {
      if (checked === undefined) {
        const ending = failure ?? `the process crashed while reading it (${signal ?? `status ${code}`})`;
        problems.push({ store, key, rule: `unreadable: ${ending.replaceAll('\n', ' ')}` });
      }
      resolve(checked ?? { counts: {}, notes: [] });
    });
  });
}

/** Compares the data with the counts and digests recorded in the backup. */
async function compare(directory: string, manifest: Manifest, report: Report): Promise<void> {
  const { counts, problems } = report;
  const recorded = manifest.stores.store;
  for (const [key, then, now] of [
    ['audit log', recorded?.auditHead, report.auditHead],
    ['store log', recorded?.logHead, report.logHead],
  ] as const) {
    if (then === undefined || now === undefined || then === now) continue;
    const rule = `the backup recorded the head ${then}, but found ${now}`;
    problems.push({ store: 'store', key, rule });
  }
  for (const [kind, { counts: expected, files }] of Object.entries(manifest.stores)) {
    const store = kind as DataKind;
    const found = counts[store];
    const names = found === undefined ? [] : [...Object.keys(expected), ...Object.keys(found)];
    for (const name of new Set(names)) {
      const [then, now] = [expected[name] ?? 0, found?.[name] ?? 0];
      if (then === now) continue;
      const rule = `the backup recorded ${then}, but found ${now}`;
      problems.push({ store, key: name, rule });
    }
    for (const file of files) {
      const now = await digestOf(store, path.resolve(directory), file.path);
      if (now?.sha256 === file.sha256) continue;
      const found = now === undefined ? 'is missing' : `has ${now.bytes} bytes, SHA-256 ${now.sha256}`;
      const rule = `the backup recorded ${file.bytes} bytes, SHA-256 ${file.sha256}, but the file ${found}`;
      problems.push({ store, key: file.path, rule });
    }
  }
}

function print({ counts, digests, problems, notes, auditHead, logHead }: Report, isJson: boolean): void {
  const shown = { ...(Object.keys(digests).length > 0 && { digests }), ...present({ auditHead, logHead }) };
  if (isJson) {
    process.stdout.write(
      `${JSON.stringify({ ok: problems.length === 0, counts, problems, notes, ...shown })}\n`,
    );
    return;
  }
  for (const { store, key, rule } of problems)
    process.stdout.write(`problem   ${printable(`${store}: ${key}: ${rule}`)}\n`);
  for (const [kind, found] of Object.entries(counts)) process.stdout.write(countsLine(kind, found));
  for (const [index, digest] of Object.entries(digests))
    process.stdout.write(`digest    search: ${index}: ${digest}\n`);
  if (auditHead !== undefined) process.stdout.write(`audit log ${auditHead}\n`);
  if (logHead !== undefined) process.stdout.write(`store log ${logHead}\n`);
  for (const note of notes) process.stderr.write(`isccd: ${printable(note)}\n`);
  process.stdout.write(problems.length === 0 ? 'no problems\n' : `${counted(problems.length, 'problems')}\n`);
}
