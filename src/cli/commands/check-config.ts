/**
 * `isccd check config [SERVICE…]`: the configuration as `isccd serve` reads it, all problems in it, and whether the engines
 * that it names can be used.
 */
import { SERVICE_NAMES, SERVICES, type ServiceEntry, type ServiceName } from '../../compose/services.js';
import { commonVariables } from '../../platform/config/common.js';
import { type EnvironmentSources, environmentSources, ignoredLines } from '../../platform/config/env.js';
import { inspectVariables, problemsOf, type VariableState } from '../../platform/config/inspect.js';
import { readProxyConfig } from '../../platform/config/proxy.js';
import { tracingConfig, tracingVariables } from '../../platform/config/tracing.js';
import { unknownVariables } from '../../platform/config/unknown.js';
import { collectProblems, readVariables, type Variables } from '../../platform/config/variable.js';
import { failureReason } from '../../platform/failure-reason.js';
import { printable } from '../../platform/printable.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, lines } from '../terminal/failure.js';

interface Section {
  /** `common` for the variables of all services. */
  readonly service: ServiceName | 'common';
  readonly states: readonly VariableState[];
  /** Problems that involve several valid variables. */
  readonly conflicts: readonly string[];
  /** What a valid configuration stands for. */
  readonly notes: readonly string[];
}

const COMMON: Pick<ServiceEntry, 'check' | 'notes'> = {
  check: (environment) =>
    void collectProblems<unknown>([
      () => tracingConfig(readVariables(tracingVariables, environment)),
      () => readProxyConfig(environment),
    ]),
  notes: async () => [`sandbox of the processes that read files and manifests: ${await sandbox()}`],
};

/** Works without the addon, like the other checks. */
async function sandbox(): Promise<string> {
  try {
    return await (await import('../../c2pa/manifest-workers.js')).triedSandbox();
  } catch (error) {
    return `unknown: ${failureReason(error)}`;
  }
}

export async function checkConfig(
  services: readonly ServiceName[],
  options: { json?: boolean },
): Promise<void> {
  const { sections, unknown, problems } = await configurationReport(services);
  for (const one of sections) process.stdout.write(options.json ? jsonLines(one) : described(one));
  if (options.json) for (const record of unknown) process.stdout.write(commonLine(record));
  if (problems.length > 0) throw new CommandFailed(lines(problems));
}

interface ConfigurationReport {
  readonly sections: readonly Section[];
  /** Variables and lines of `.env` that no service reads. */
  readonly unknown: readonly { readonly name?: string; readonly problem: string }[];
  /** All problems, each once. */
  readonly problems: readonly string[];
}

/** Reads the configuration as `isccd serve` does, and uses the engines that it names. */
export async function configurationReport(services: readonly ServiceName[]): Promise<ConfigurationReport> {
  const sources = environmentSources();
  const names = services.length === 0 ? SERVICE_NAMES : services;
  const common = section('common', commonVariables, sources, COMMON);
  const own = names.map((name) => section(name, SERVICES[name].variables, sources, SERVICES[name], common));
  const all = [common, ...own];
  const sections = await Promise.all(all.map((one) => (isValid(common) ? reached(one, sources) : one)));
  const unknown = [
    ...unknownVariables(sources.values).map(({ name, message }) => ({ name, problem: message })),
    ...ignoredLines().map((problem) => ({ problem })),
  ];
  const problems = sections.flatMap(({ states, conflicts }) => [
    ...states.flatMap(({ problem }) => problem ?? []),
    ...conflicts,
  ]);
  problems.push(...unknown.map(({ problem }) => problem));
  // Services share some variables and rules.
  return { sections, unknown, problems: [...new Set(problems)] };
}

/** @param entry checked as a whole; problems of single variables, also of `common`, are not repeated */
function section(
  service: Section['service'],
  variables: Variables,
  sources: EnvironmentSources,
  entry: Pick<ServiceEntry, 'check'>,
  common?: Section,
): Section {
  const states = inspectVariables(variables, sources);
  const single = [...states, ...(common?.states ?? [])].flatMap(({ problem }) => problem ?? []);
  const all = problemsOf(() => entry.check?.(sources.values));
  return { service, states, conflicts: all.filter((problem) => !single.includes(problem)), notes: [] };
}

function isValid({ conflicts, states }: Section): boolean {
  return conflicts.length === 0 && states.every(({ problem }) => problem === undefined);
}

/** Adds the engines that can't be used, and the notes, if the section has no problem itself. */
async function reached(one: Section, { values }: EnvironmentSources): Promise<Section> {
  if (!isValid(one)) return one;
  const { reach, notes }: Pick<ServiceEntry, 'reach' | 'notes'> =
    one.service === 'common' ? COMMON : SERVICES[one.service];
  const [conflicts = [], noted = []] = await Promise.all([reach?.(values), notes?.(values)]);
  return { ...one, conflicts, notes: noted };
}

function jsonLines({ service, states, conflicts, notes }: Section): string {
  const records: object[] = states.map((state) => ({ service, ...state }));
  records.push(
    ...notes.map((note) => ({ service, note })),
    ...conflicts.map((problem) => ({ service, problem })),
  );
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function commonLine(record: { readonly name?: string; readonly problem: string }): string {
  return `${JSON.stringify({ service: 'common', ...record })}\n`;
}

function described({ service, states, notes }: Section): string {
  const paint = painter(process.stdout);
  const width = Math.max(...states.map(({ name }) => name.length));
  const rows = states.map(({ name, value, origin, problem }) => {
    const shown = `${name.padEnd(width)}  ${value === '' ? '(empty)' : value}`;
    const from = problem === undefined ? paint('dim', `  (${origin})`) : `  (${origin}, invalid)`;
    return `  ${problem === undefined ? shown : paint('red', shown)}${from}`;
  });
  const heading = service === 'common' ? 'Every service' : `The ${service} service`;
  const noted = notes.map((note) => `  ${printable(note)}`);
  return `${paint('bold', heading)}\n${[...rows, ...noted].join('\n')}\n\n`;
}
