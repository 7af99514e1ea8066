/** All reports of a scan: groups and the inventory, as files and on standard output. */
import path from 'node:path';
import { painter } from '../terminal/colour.js';
import { printJson } from '../terminal/lines.js';
import { clipsReport, sharedClips } from './clips.js';
import { groupsOf, type UnitType } from './groups.js';
import { GROUPS_FILE, groupLines, withoutIgnored } from './ignored.js';
import { type InventoryEntry, writeInventory } from './inventory.js';
import type { Naming } from './labels.js';
import { livePhotos, withoutFilms } from './live-photos.js';
import { passagesReport, sharedPassages } from './passages.js';
import type { ScanRecords, WantedCodes } from './records.js';
import { acrossGroups, compareWith } from './reference.js';
import { replaceFile } from './replace-file.js';
import { csvReport, htmlReport, jsonReport, type ScanReport, terminalReport } from './report.js';
import { duplicatesScript, type Keep } from './script.js';

export const REPORT_CSV = 'report.csv';
export const REPORT_HTML = 'report.html';
const SCRIPT = 'duplicates.sh';
const NEAR_UNITS = 'near-units.ndjson';
const NEAR_PASSAGES = 'near-passages.ndjson';
export const PASSAGES_CSV = 'passages.csv';
export const CLIPS_CSV = 'clips.csv';

export interface ReportOptions extends WantedCodes {
  /** Folder for results and reports. */
  readonly out: string;
  /** Bits of 256 in which similar units may differ. */
  readonly limit: number;
  /** Types of units that are compared. Default: see {@link groupsOf}. */
  readonly types: ReadonlySet<UnitType> | undefined;
  readonly naming: Naming;
  /** Whether a location is one of the reference; absent without a reference. */
  readonly isReference?: ((location: string) => boolean) | undefined;
  /** Makes a script about duplicates. */
  readonly keep?: Keep | undefined;
  /** Whether to print JSON. */
  readonly json?: boolean | undefined;
}

/** @param work folder for an index, which is made and removed */
export async function report(
  entries: readonly InventoryEntry[],
  { out, limit, types, symmetries, passages, clips, naming, isReference: isIn, keep, json }: ReportOptions,
  records: ScanRecords,
  work: string,
): Promise<void> {
  const isReference = isIn && ((file: string) => isIn(naming.locationOf(file)));
  // Not the further names of files.
  const first = entries.filter(({ sameFileAs }) => sameFileAs === undefined);
  const files = first.flatMap(({ file }) => (file === undefined ? [] : [file]));
  const near = { distance: limit, folder: work, file: path.join(out, NEAR_UNITS) };
  const all = await withoutIgnored(await groupsOf(files, { ...near, units: types, symmetries }), out);
  const films = livePhotos(files);
  await writeInventory(out, entries, all, films);
  const groups = isReference === undefined ? all : acrossGroups(all, isReference);
  const shown = withoutFilms(groups, films);
  await replaceFile(path.join(out, GROUPS_FILE), groupLines(shown));
  if (keep !== undefined) {
    const script = duplicatesScript(groups, {
      keep,
      isReference: isReference ?? (() => false),
      resolve: (file) => records.pathOf(naming.locationOf(file)),
    });
    await replaceFile(path.join(out, SCRIPT), script);
  }
  const places = { ...near, file: path.join(out, NEAR_PASSAGES) };
  const shared = passages ? await sharedPassages(files, all, records, places) : undefined;
  if (shared !== undefined) await replaceFile(path.join(out, PASSAGES_CSV), passagesReport(shared));
  const partial = clips ? await sharedClips(files, all, records, work) : undefined;
  if (partial !== undefined) await replaceFile(path.join(out, CLIPS_CSV), clipsReport(partial));
  const found: ScanReport = {
    // A folder that is missing is a failure, but no file.
    files: first.filter(({ isFile }) => isFile).length,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    failures: first.flatMap(({ path: name, failure }) =>
      failure === undefined ? [] : [{ path: name, ...failure }],
    ),
    groups: shown,
    livePhotos: films.size,
    ...(shared && { passages: shared.length }),
    ...(partial && { clips: partial }),
    ...(isReference && { reference: compareWith(files, groups, isReference) }),
  };
  await replaceFile(path.join(out, REPORT_CSV), [csvReport(found)]);
  const pages = htmlReport(found, (file) => records.thumbnail(file));
  await replaceFile(path.join(out, REPORT_HTML), pages);
  if (json) printJson(jsonReport(found));
  else process.stdout.write(terminalReport(found, painter(process.stdout)));
}
