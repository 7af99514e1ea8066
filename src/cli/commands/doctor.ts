/**
 * `isccd doctor`: versions, configuration, health, tools and disks in one text that can be pasted into an issue. It contains
 * no secrets, and works as far as it can if parts of the installation are missing.
 */
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { commonVariables } from '../../platform/config/common.js';
import { environment } from '../../platform/config/env.js';
import { readVariables } from '../../platform/config/variable.js';
import { printable } from '../../platform/printable.js';
import { version } from '../../platform/version.js';
import { inBytes } from '../batch/progress.js';
import { machine, system, type Tool, tools } from '../input/machine.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, reason } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';
import { configurationReport } from './check-config.js';
import { configuredHealth, type Health } from './check-health.js';

interface Disk {
  readonly use: string;
  readonly folder: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

interface Report {
  readonly machine: Readonly<Record<string, string>>;
  /** Variables that are set, without secrets. */
  readonly configuration: readonly {
    readonly name: string;
    readonly value: string;
    readonly origin: string;
  }[];
  readonly services: readonly Health[];
  readonly tools: readonly Tool[];
  readonly disks: readonly Disk[];
  readonly problems: readonly string[];
}

/** Fails if there are problems. Services that do not run and missing tools do not count. */
export async function doctor({ json }: { json?: boolean }): Promise<void> {
  const report = await examined();
  if (json) printJson(report);
  else process.stdout.write(described(report));
  const { length } = report.problems;
  if (length > 0) throw new CommandFailed(`${length} ${length === 1 ? 'problem' : 'problems'}`);
}

async function examined(): Promise<Report> {
  const problems: string[] = [];
  /** The result of `work`; if it fails, the reason becomes a problem. */
  const attempt = async <T>(work: () => T | Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      problems.push(reason(error));
      return otherwise;
    }
  };
  const versions = await attempt(machine, { isccd: version, ...system() });
  const { sections, problems: ofConfiguration } = await configurationReport([]);
  problems.push(...ofConfiguration);
  const set = sections
    .flatMap(({ states }) => states)
    .filter(({ origin }) => origin !== 'default')
    .map(({ name, value, origin }) => ({ name, value: withoutPassword(value), origin }));
  const services = await attempt(configuredHealth, []);
  for (const { name, healthy, problem = '' } of services)
    if (!healthy && !isAbsent(problem)) problems.push(`${name} is unhealthy: ${problem}`);
  return {
    machine: { ...versions, system: os.version(), memory: inBytes(os.totalmem()), ...libc() },
    configuration: [...new Map(set.map((state) => [state.name, state])).values()],
    services,
    tools: await attempt(tools, []),
    disks: await attempt(disks, []),
    problems: [...new Set(problems)].map(withoutPassword),
  };
}

/** The services need not run. */
function isAbsent(problem: string): boolean {
  return problem.startsWith('no response');
}

/** Addresses may contain passwords, also in variables that are no secrets. */
function withoutPassword(text: string): string {
  return text.replace(/\/\/[^/@\s]+@/g, '//(hidden)@');
}

/** The addon and its libraries need one of these. */
function libc(): Readonly<Record<string, string>> {
  if (process.platform !== 'linux') return {};
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const glibc = header.glibcVersionRuntime;
  return { libc: glibc === undefined ? 'musl' : `glibc ${glibc}` };
}

async function disks(): Promise<Disk[]> {
  const { dataDir } = readVariables(commonVariables, environment());
  const folders = { data: dataDir, temporary: os.tmpdir() };
  return Promise.all(
    Object.entries(folders).map(async ([use, folder]) => {
      const { bavail, blocks, bsize } = await statfsOfParent(folder);
      return { use, folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    }),
  );
}

/** Of the folder, or of the nearest one above that exists. */
async function statfsOfParent(folder: string): Promise<StatsFs> {
  try {
    return await statfs(folder);
  } catch (error) {
    const above = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error;
    return statfsOfParent(above);
  }
}

function described({ machine, configuration, services, tools, disks, problems }: Report): string {
  const paint = painter(process.stdout);
  const section = (title: string, rows: readonly (readonly [string, string])[]) => {
    const width = Math.max(...rows.map(([name]) => name.length));
    const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}  ${printable(value)}`.trimEnd());
    return `${paint('bold', title)}\n${lines.join('\n')}\n`;
  };
  return [
    section('Versions', Object.entries(machine)),
    section(
      'Configuration',
      configuration.length === 0
        ? [['all variables', 'have their defaults']]
        : configuration.map(({ name, value, origin }) => [name, `${value}  (${origin})`]),
    ),
    section(
      'Services',
      services.map(({ name, url = '-', healthy, ms, problem = '' }) => [
        name,
        `${url}  ${healthy ? `healthy (${ms} ms)` : isAbsent(problem) ? 'not running' : problem}`,
      ]),
    ),
    section(
      'Tools',
      tools.map(({ tool, version: found = 'missing', for: purpose }) => [tool, `${found} (${purpose})`]),
    ),
    section(
      'Disks',
      disks.map(({ use, folder, freeBytes, totalBytes }) => [
        use,
        `${folder}  ${inBytes(freeBytes)} free of ${inBytes(totalBytes)}`,
      ]),
    ),
    section(
      'Problems',
      problems.length === 0 ? [['none', '']] : problems.map((problem, at) => [`${at + 1}.`, problem]),
    ),
  ].join('\n');
}
