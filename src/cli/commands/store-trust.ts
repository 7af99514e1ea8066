/** `isccd store trust ...`: the trust lists that manifests are judged by, and newer ones instead of the bundled. */
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { bundledTrustLists, type DatedTrustList, trustListsOf } from '../../c2pa/trust-lists.js';
import { isNativeError, native, type TrustListFile } from '../../native.js';
import { environment } from '../../platform/config/env.js';
import { storeVariables } from '../../platform/config/store.js';
import { storeDataDir } from '../../platform/config/store-settings.js';
import {
  BUNDLED_TRUST_ANCHORS,
  readTrustAnchors,
  readTrustUpdates,
  TRUST_KINDS,
  type TrustKind,
  type TrustTexts,
  type TrustUpdate,
  trustUpdateFile,
} from '../../platform/config/trust-list.js';
import { readVariables } from '../../platform/config/variable.js';
import { printable } from '../../platform/printable.js';
import { isOutdated } from '../../services/store/manifests/rules.js';
import { replaceDurably, syncPath } from '../../storage/data/durable.js';
import { makeFolder } from '../../storage/data/folder.js';
import { prepareData } from '../../storage/data/format.js';
import { fetchTrustList, LIST_BYTES_MAX } from '../batch/trust-list.js';
import { CommandFailed, EXIT_CONFIGURATION, reason } from '../terminal/failure.js';

interface ResultOptions {
  readonly json?: boolean;
}

/** Prints the lists in force, one per line. */
export function list({ json }: ResultOptions): void {
  const texts = trustTexts();
  const rows = trustListsOf(texts)
    .filter(({ pem }) => pem.trim() !== '')
    .map((one) => ({ ...described(one), ...(one.date !== undefined && { outdated: isOutdated(one.date) }) }));
  if (json) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
  else process.stdout.write(TRUST_KINDS.map((kind) => linesOf(kind, rows)).join(''));
  for (const note of notes(texts)) process.stderr.write(`isccd: ${note}\n`);
}

type Row = ReturnType<typeof described> & { readonly outdated?: boolean };

function described({ kind, name, pem, date, source = BUNDLED }: DatedTrustList) {
  const from = date === undefined ? { source: storeVariables.trustAnchors.name } : { date, source };
  return { kind, name, certificates: blocks(pem).size, ...from };
}

const BUNDLED = 'bundled';

function linesOf(kind: TrustKind, rows: readonly Row[]): string {
  const own = rows.filter((row) => row.kind === kind);
  if (own.length === 0) return `${kind.padEnd(14)} none is trusted\n`;
  return own
    .map((row) => {
      const { name, certificates, source } = row;
      const day = 'date' in row ? `, of ${row.date}` : '';
      const age = row.outdated ? ', more than 90 days old' : '';
      return `${printable(`${kind.padEnd(14)} ${name}: ${count(certificates)}${day}${age} (${source})`)}\n`;
    })
    .join('');
}

/** What an operator may overlook. */
function notes({ trustUpdates, trustAnchorsPem }: TrustTexts): string[] {
  const { name } = storeVariables.trustAnchors;
  return trustUpdates.flatMap(({ kind, date }) => {
    if (kind === 'signers' && trustAnchorsPem !== BUNDLED_TRUST_ANCHORS)
      return [`${name} is set: its certificates count instead of the updated list of signers`];
    const bundled = bundledTrustLists().find((one) => one.kind === kind);
    if (bundled?.date === undefined || bundled.date <= date) return [];
    return [
      `the bundled list of ${kind} of ${bundled.date} is newer: isccd store trust reset ${kind} uses it`,
    ];
  });
}

/** @throws {CommandFailed} if the list can't be read, or is not one of its kind */
export async function update(source: string, options: ResultOptions & { kind?: TrustKind }): Promise<void> {
  const { text, day, fileName } = await read(source);
  const kind = options.kind ?? kindOf(fileName);
  const checked = check(source, text, kind);
  const before = trustListsOf({ ...trustTexts(), trustAnchorsPem: BUNDLED_TRUST_ANCHORS });
  const { pem, certificates, expired, date = day } = checked;
  await keep({ kind, name: nameOf(fileName), date, source, pem });
  const [old, now] = [blocks(before.find((one) => one.kind === kind)?.pem ?? ''), blocks(pem)];
  const added = [...now].filter((block) => !old.has(block)).length;
  const removed = [...old].filter((block) => !now.has(block)).length;
  const result = { kind, name: nameOf(fileName), certificates, expired, added, removed, date };
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    const changes = `${added} added, ${removed} removed${expired === 0 ? '' : `, ${expired} expired`}`;
    process.stdout.write(
      `${printable(`list of ${kind}: ${result.name}, ${count(certificates)} (${changes}), of ${date}`)}\n`,
    );
  }
  announce(options);
}

/** Uses the bundled list again, or none of this kind. */
export async function reset(kind: string, options: ResultOptions): Promise<void> {
  const known = TRUST_KINDS.find((one) => one === kind);
  if (known === undefined)
    throw new CommandFailed(`the kind must be one of ${TRUST_KINDS.join(', ')}`, EXIT_CONFIGURATION);
  const file = path.join(storeDataDir(environment()), trustUpdateFile(known));
  const existed = (await stat(file).catch(() => undefined)) !== undefined;
  await rm(file, { force: true });
  if (existed) await syncPath(path.dirname(file));
  const bundled = bundledTrustLists().find((one) => one.kind === known);
  if (options.json) process.stdout.write(`${JSON.stringify({ kind: known, reset: existed })}\n`);
  else {
    const now = bundled === undefined ? 'none' : `the bundled one, of ${bundled.date}`;
    process.stdout.write(`list of ${known}: ${now}${existed ? '' : ' (unchanged)'}\n`);
  }
  if (existed) announce(options);
}

function announce({ json }: ResultOptions): void {
  if (json) return;
  process.stdout.write(
    'running services use it after SIGHUP or a restart; stores then validate their manifests again\n',
  );
}

interface Content {
  readonly text: string;
  /** Day of the download, or of the last change of the file. */
  readonly day: string;
  readonly fileName: string;
}

async function read(source: string): Promise<Content> {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(source)) {
    const text = await fetchTrustList(source);
    return { text, day: dayOf(new Date()), fileName: path.posix.basename(new URL(source).pathname) };
  }
  try {
    const { mtime, size } = await stat(source);
    if (size > LIST_BYTES_MAX) throw new CommandFailed(`${source} has more than 2 MiB`);
    return { text: await readFile(source, 'utf8'), day: dayOf(mtime), fileName: path.basename(source) };
  } catch (error) {
    throw error instanceof CommandFailed
      ? error
      : new CommandFailed(`${source} can't be read: ${reason(error)}`);
  }
}

function check(source: string, text: string, kind: TrustKind): TrustListFile {
  try {
    return native.readTrustList(text, kind);
  } catch (error) {
    if (!isNativeError(error) || error.code !== 'INVALID_ARGUMENT') throw error;
    throw new CommandFailed(
      `${source} can't be the list of ${kind}: ${error.message}; nothing was changed (--kind names another kind)`,
    );
  }
}

/** The C2PA publishes `C2PA-TRUST-LIST` and `C2PA-TSA-TRUST-LIST`. */
function kindOf(fileName: string): TrustKind {
  if (/\bTSA\b/i.test(fileName)) return 'time-stampers';
  return /\bCAWG\b/i.test(fileName) ? 'identities' : 'signers';
}

/** Verdicts name the list by its file. */
function nameOf(fileName: string): string {
  const name = path.parse(fileName).name.replace(/[^\w.-]+/g, '-');
  return name.slice(0, NAME_CHARS_MAX) || 'trust-list';
}

const NAME_CHARS_MAX = 100;

/** A running service sees the old or the new file. */
async function keep(one: TrustUpdate): Promise<void> {
  const dataDir = storeDataDir(environment());
  makeFolder(dataDir);
  await prepareData('store', dataDir);
  const file = path.join(dataDir, trustUpdateFile(one.kind));
  try {
    await replaceDurably(file, `${JSON.stringify(one)}\n`, PUBLIC);
  } catch (error) {
    throw new CommandFailed(`${file} can't be written: ${reason(error)}`);
  }
}

/** The service may run as another user, and the list is public. */
const PUBLIC = 0o644;

function trustTexts(): TrustTexts {
  const values = environment();
  const { trustAnchors } = readVariables({ trustAnchors: storeVariables.trustAnchors }, values);
  return {
    trustAnchorsPem: readTrustAnchors(storeVariables.trustAnchors.name, trustAnchors),
    trustUpdates: readTrustUpdates(storeDataDir(values)),
  };
}

/** The Base64 of each certificate. */
function blocks(pem: string): Set<string> {
  const found = pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]*)-----END/g);
  return new Set([...found].map(([, base64 = '']) => base64.replace(/\s+/g, '')));
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
const count = (certificates: number) => `${certificates} certificate${certificates === 1 ? '' : 's'}`;
