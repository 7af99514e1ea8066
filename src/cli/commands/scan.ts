/** `isccd scan DIR…`: codes of all files, and which of them are duplicates, near-duplicates and versions. */
import { printable } from '../../platform/printable.js';
import { isRemote } from '../batch/sources.js';
import { withPipeline } from '../input/local-pipeline.js';
import { FolderChanges } from '../scan/folder-changes.js';
import { UNIT_TYPES, type UnitType } from '../scan/groups.js';
import { PATHS, workspaceNaming } from '../scan/labels.js';
import { withOutput } from '../scan/output.js';
import { Pass } from '../scan/pass.js';
import { referenceTest } from '../scan/reference.js';
import { KEEP, type Keep } from '../scan/script.js';
import { CommandFailed, lines } from '../terminal/failure.js';
import { positive, shortened } from './code.js';

export interface GroupOptions {
  readonly distance: string;
  /** Types of units, separated by commas. */
  readonly units?: string;
  readonly json?: boolean;
}

export interface ScanOptions extends GroupOptions {
  /** Folder for results and reports. */
  readonly out?: string;
  /** Folder for results of several scans. */
  readonly workspace?: string;
  /** Name of the scanned folder in the workspace. */
  readonly label?: string;
  /** Folders that the files are compared with; in a workspace, also labels. */
  readonly reference?: readonly string[];
  /** `keep=RULE`: a script about duplicates. */
  readonly script?: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly jobs?: string;
  readonly watch?: boolean;
  /** Whether mirrored and turned pictures are near-duplicates. */
  readonly symmetries?: boolean;
  /** Whether to report passages that several texts have. */
  readonly passages?: boolean;
  /** Whether to report clips of films and passages of recordings. */
  readonly clips?: boolean;
}

const OUT_DEFAULT = 'isccd-scan';
const DISTANCE_MAX = 64;

export async function scan(folders: readonly string[], options: ScanOptions): Promise<void> {
  if (folders.some(isRemote)) throw new CommandFailed('scan reads local folders only', 2);
  const jobs = options.jobs === undefined ? undefined : positive(options.jobs);
  const grouping = groupingOf(options);
  const naming = namingOf(folders, options);
  const isWorkspace = options.workspace !== undefined;
  const { reference = [] } = options;
  const keep = options.script === undefined ? undefined : keepOf(options.script, reference.length > 0);
  const out = options.workspace ?? options.out ?? OUT_DEFAULT;
  await withOutput(out, async (records) => {
    // A label of the workspace needs no folder now.
    const isLabel = (name: string) => isWorkspace && records.folders.has(name);
    const scanned = [...folders, ...reference.filter((folder) => !isLabel(folder))];
    const references = reference.map((name) => (isLabel(name) ? name : naming.locate(name)));
    const isReference =
      reference.length > 0 ? referenceTest(references, folders.map(naming.locate)) : undefined;
    const hint = 'interrupted; run the same command again to go on';
    await withPipeline({ jobs, fallback: true, hint }, async (work) => {
      const given = { ...options, ...grouping, out, naming, isWorkspace, isReference, keep };
      const pass = new Pass(scanned, given, records, work);
      await (options.watch ? watch(pass, scanned, out) : once(pass));
    });
  });
}

async function once(pass: Pass): Promise<void> {
  const failures = await pass.run('change');
  if (failures.length > 0) throw new CommandFailed(lines(shortened(failures)));
}

async function watch(pass: Pass, folders: readonly string[], out: string): Promise<void> {
  const say = (text: string) => process.stderr.write(`isccd: ${printable(text)}\n`);
  // Before the first pass, so that what changes during it is noticed.
  const changes = await FolderChanges.open(folders, { ignored: out, say });
  try {
    await pass.run('change');
    for await (const round of changes) await pass.run(round);
  } finally {
    changes.close();
  }
}

function namingOf(folders: readonly string[], { out, workspace, label }: ScanOptions) {
  if (workspace === undefined) {
    if (label !== undefined) throw new CommandFailed('--label needs --workspace', 2);
    return PATHS;
  }
  if (out !== undefined) throw new CommandFailed('--workspace and --out exclude each other', 2);
  if (label !== undefined && folders.length !== 1)
    throw new CommandFailed('--label names one folder; scan each folder with its own label', 2);
  if (label !== undefined && !/^[^/\\]+$/.test(label))
    throw new CommandFailed('--label must be a name without slashes', 2);
  return workspaceNaming(folders[0] ?? '', label);
}

/** What groups are made of. @throws {CommandFailed} */
export function groupingOf({ distance: text, units, json }: GroupOptions) {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 0 || limit > DISTANCE_MAX)
    throw new CommandFailed(`--distance must be an integer from 0 to ${DISTANCE_MAX}`, 2);
  return { limit, types: units === undefined ? undefined : unitTypes(units), json };
}

function keepOf(text: string, hasReference: boolean): Keep {
  const rule = KEEP.find((one) => text === `keep=${one}`);
  if (rule === undefined) throw new CommandFailed(`--script must be keep= and one of ${KEEP.join(', ')}`, 2);
  if (rule === 'reference' && !hasReference)
    throw new CommandFailed('--script keep=reference needs --reference', 2);
  return rule;
}

function unitTypes(text: string): ReadonlySet<UnitType> {
  const names = text.split(',').map((name) => name.trim());
  const known = Object.keys(UNIT_TYPES);
  if (!names.every((name): name is UnitType => known.includes(name)))
    throw new CommandFailed(`--units must be types separated by commas: ${known.join(', ')}`, 2);
  return new Set(names);
}
