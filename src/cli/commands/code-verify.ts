/** `isccd code --verify OLD`: codes again the files of an old list, and prints what differs. */
import path from 'node:path';
import { native } from '../../native.js';
import { printable } from '../../platform/printable.js';
import type { IsccResult } from '../../services/codes/result.js';
import { type ListEntry, readCodeList } from '../batch/code-list.js';
import { type Failure, failureOf, type Outcome, outcomes } from '../batch/run.js';
import type { Source, Unreadable } from '../batch/source.js';
import { sourcesOf } from '../batch/sources.js';
import { fileAt } from '../batch/walk.js';
import { resultOf, withPipeline } from '../input/local-pipeline.js';
import { CommandFailed } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';

export interface VerifyOptions {
  readonly jobs: number | undefined;
  readonly metadata: boolean;
}

/** From the best to the worst. `changed`: the file is not the one of the list. */
const VERDICTS = ['equal', 'metadata', 'units', 'changed', 'failed'] as const;

type Verdict = (typeof VERDICTS)[number];

/** Members that describe the file; those of the program and of its options may differ. */
const FIELDS = [
  ...['name', 'description', 'meta', 'creator', 'license', 'acquire', 'credit', 'rights', 'keywords'],
  ...['mode', 'mediatype', 'duration', 'fps', 'width', 'height', 'characters', 'language', 'metahash'],
] as const;

interface UnitDifference {
  readonly unit: string;
  /** Differing bits. Absent if only one side has the unit. */
  readonly distance?: number;
  readonly bits?: number;
  readonly only?: 'old' | 'new';
}

interface Verified {
  readonly path: string;
  readonly mediatype: string;
  readonly verdict: Verdict;
  readonly units?: readonly UnitDifference[];
  readonly fields?: readonly string[];
  readonly error?: Failure;
}

/**
 * Prints a line of JSON for each file that differs, and a table by format on standard error. Fails if codes differ.
 *
 * @param folders where files are that the list only names
 */
export async function verify(
  list: string,
  folders: readonly string[],
  { jobs, metadata }: VerifyOptions,
): Promise<void> {
  const entries = await readCodeList(list);
  if (entries.length === 0) throw new CommandFailed(`${list} has no codes`);
  const sources = await locate(entries, path.dirname(list), folders);
  const counts = new Map<string, Record<Verdict, number>>();
  await withPipeline({ files: sources.length, jobs, fallback: true }, async (work) => {
    let at = 0;
    const options = { granular: false, thumbnail: false, metadata };
    const code = (file: { path: string; filename: string }) => resultOf(work.pipeline, file, options);
    for await (const outcome of outcomes(sources, code, work)) {
      const verified = verifiedOf(entries[at++] as ListEntry, outcome);
      const row = counts.get(verified.mediatype) ?? {
        equal: 0,
        metadata: 0,
        units: 0,
        changed: 0,
        failed: 0,
      };
      row[verified.verdict] += 1;
      counts.set(verified.mediatype, row);
      if (verified.verdict !== 'equal') printJson(verified);
    }
  });
  process.stderr.write(table(counts));
  const bad = [...counts.values()].reduce((sum, row) => sum + row.units + row.changed + row.failed, 0);
  if (bad > 0) throw new CommandFailed(`${bad} of ${entries.length} files differ`);
}

/** Files by the path of their entry, from here or from the folder of the list; else by name and size. */
async function locate(
  entries: readonly ListEntry[],
  listFolder: string,
  folders: readonly string[],
): Promise<(Source | Unreadable)[]> {
  const byName = new Map<string, Source[]>();
  for await (const source of sourcesOf(folders)) {
    if ('error' in source) throw new CommandFailed(`${source.path} can't be read`);
    const same = byName.get(source.filename);
    if (same === undefined) byName.set(source.filename, [source]);
    else same.push(source);
  }
  const found: (Source | Unreadable)[] = [];
  for (const { path: name, members } of entries) {
    const named = byName.get(path.basename(name)) ?? [];
    const sized = named.filter(({ size }) => size === members.filesize);
    const [only] = sized.length > 0 ? sized : named;
    const here = await fileAt(name);
    const near = 'error' in here && !path.isAbsolute(name) ? await fileAt(path.join(listFolder, name)) : here;
    found.push('error' in near && only !== undefined ? only : near);
  }
  return found;
}

function verifiedOf(
  { path: name, units, datahash, members }: ListEntry,
  outcome: Outcome<IsccResult>,
): Verified {
  if ('error' in outcome) {
    const mediatype = typeof members.mediatype === 'string' ? members.mediatype : 'unknown';
    return { path: name, mediatype, verdict: 'failed', error: failureOf(outcome.error) };
  }
  const { result } = outcome;
  const differences = differing(units, result.units);
  const fields = FIELDS.filter(
    (field) => field in members && JSON.stringify(members[field]) !== JSON.stringify(result[field]),
  );
  const isChanged =
    (datahash !== undefined && datahash !== result.datahash) ||
    differences.some(({ unit, only }) => /^INSTANCE/.test(unit) && only === undefined);
  const verdict = isChanged
    ? 'changed'
    : differences.length > 0
      ? 'units'
      : fields.length > 0
        ? 'metadata'
        : 'equal';
  return {
    path: name,
    mediatype: result.mediatype,
    verdict,
    ...(differences.length > 0 && { units: differences }),
    ...(fields.length > 0 && { fields }),
  };
}

/** Units are compared in the length of the shorter one. A list of iscc-sum has those of bytes only. */
function differing(old: readonly string[], made: readonly string[]): UnitDifference[] {
  const differences: UnitDifference[] = [];
  const rest = new Set(made);
  for (const unit of old) {
    const match = made.find((other) => native.compareCodes(unit, other).length > 0);
    const compared = match === undefined ? undefined : native.compareCodes(unit, match)[0];
    if (match !== undefined) rest.delete(match);
    if (compared === undefined) differences.push({ unit: kindOf(unit), only: 'old' });
    else if (compared.distance > 0)
      differences.push({ unit: compared.kind, distance: compared.distance, bits: compared.bits });
  }
  const isSumOnly = old.every((unit) => /^(?:DATA|INSTANCE)/.test(kindOf(unit)));
  if (!isSumOnly) for (const unit of rest) differences.push({ unit: kindOf(unit), only: 'new' });
  return differences;
}

function kindOf(unit: string): string {
  return native.compareCodes(unit, unit)[0]?.kind ?? '';
}

function table(counts: ReadonlyMap<string, Readonly<Record<Verdict, number>>>): string {
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const width = Math.max('format'.length, ...rows.map(([format]) => format.length));
  const line = (format: string, values: readonly unknown[]) =>
    `${printable(format).padEnd(width)}${values.map((value) => String(value).padStart(10)).join('')}\n`;
  return [
    line('format', VERDICTS),
    ...rows.map(([format, row]) =>
      line(
        format,
        VERDICTS.map((one) => row[one]),
      ),
    ),
  ].join('');
}
