/** `isccd scan status|report|import|ignore`: the workspace of several scans. */
import { printable } from '../../platform/printable.js';
import { inBytes } from '../batch/progress.js';
import { withPipeline } from '../input/local-pipeline.js';
import { ignoreGroups } from '../scan/ignored.js';
import { importInto } from '../scan/import.js';
import { isBelow, workspaceNaming } from '../scan/labels.js';
import { withOutput, withScanned } from '../scan/output.js';
import { workspaceEntries } from '../scan/pass.js';
import type { ScanRecords } from '../scan/records.js';
import { report } from '../scan/reports.js';
import { CommandFailed } from '../terminal/failure.js';
import { counted, printJson } from '../terminal/lines.js';
import { type GroupOptions, groupingOf } from './scan.js';

interface FolderStatus {
  readonly label: string;
  readonly host: string | undefined;
  readonly folder: string | undefined;
  /** When it was last scanned. */
  readonly scanned: string | undefined;
  readonly files: number;
  readonly bytes: number;
  readonly failed: number;
}

/** Prints what was scanned, where and when. */
export async function status(workspace: string, { json }: { json?: boolean }): Promise<void> {
  await withScanned(workspace, async (records) => {
    const all = statusOf(records);
    if (json) return printJson(all);
    for (const { label, host, folder, scanned, files, bytes, failed } of all) {
      const size = `${counted(files, 'files')}, ${inBytes(bytes)}, ${failed} failed`;
      const place = folder === undefined ? '' : `  ${host}:${folder}`;
      process.stdout.write(`${printable(`${label}  ${size}${scanned ? `  ${scanned}` : ''}${place}`)}\n`);
    }
  });
}

function statusOf(records: ScanRecords): FolderStatus[] {
  const entries = workspaceEntries(records).filter(({ sameFileAs }) => sameFileAs === undefined);
  const labels = [...records.folders.keys()].sort();
  const rest = entries.filter((entry) => !labels.some((label) => isBelow(entry.path, label)));
  const rows = labels.map((label) => {
    const { host, folder, scannedMs = 0 } = records.folders.get(label) ?? {};
    const scanned = new Date(scannedMs).toISOString();
    // A folder that could not be read is no file.
    const own = entries.filter(
      ({ path: file, isFile }) => isBelow(file, label) && (isFile || file !== label),
    );
    return { label, host, folder, scanned, own };
  });
  const imported = { label: 'imported', host: undefined, folder: undefined, scanned: undefined, own: rest };
  return [...rows, ...(rest.length > 0 ? [imported] : [])].map(({ own, ...row }) => ({
    ...row,
    files: own.length,
    bytes: own.reduce((sum, { file }) => sum + (file?.bytes ?? 0), 0),
    failed: own.filter(({ failure }) => failure !== undefined).length,
  }));
}

export interface ImportOptions extends GroupOptions {
  readonly label?: string;
}

/** Adds workspaces and side-cars, and makes the reports again. */
export async function importScans(
  workspace: string,
  folders: readonly string[],
  options: ImportOptions,
): Promise<void> {
  const grouping = groupingOf(options);
  await withOutput(workspace, async (records) => {
    for (const folder of folders) {
      const files = await importInto(records, folder, options.label);
      process.stderr.write(`isccd: ${counted(files, 'files')} of ${printable(folder)}\n`);
    }
    await withPipeline({ files: 0 }, ({ folder }) =>
      report(
        workspaceEntries(records),
        { ...grouping, out: workspace, naming: workspaceNaming('.', undefined) },
        records,
        folder,
      ),
    );
  });
}

/** Marks groups of the last report as not belonging together, so that they are not shown again. */
export async function ignore(folder: string, numbers: readonly string[]): Promise<void> {
  const groups = numbers.map(Number);
  if (!groups.every((number) => Number.isInteger(number) && number > 0))
    throw new CommandFailed('groups are the numbers in report.csv', 2);
  await withScanned(folder, async () => {
    printJson({ ignored: await ignoreGroups(folder, groups) });
  });
}
