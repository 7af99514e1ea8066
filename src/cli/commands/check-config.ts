/** `isccd check config [SERVICE…]`: the configuration as `isccd serve` reads it, and all problems in it. */
import { SERVICE_NAMES, SERVICES, type ServiceEntry, type ServiceName } from '../../compose/services.js';
import { commonVariables } from '../../config/common.js';
import { type EnvironmentSources, environmentSources } from '../../config/env.js';
import { inspectVariables, problemsOf, type VariableState } from '../../config/inspect.js';
import { type UnknownVariable, unknownVariables } from '../../config/unknown.js';
import type { Variables } from '../../config/variable.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, lines } from '../terminal/failure.js';

interface Section {
  /** `common` for the variables of all services. */
  readonly service: ServiceName | 'common';
  readonly states: readonly VariableState[];
  /** Problems that involve several valid variables. */
  readonly conflicts: readonly string[];
}

export function checkConfig(services: readonly ServiceName[], options: { json?: boolean }): void {
  const sources = environmentSources();
  const names = services.length === 0 ? SERVICE_NAMES : services;
  const common = section('common', commonVariables, sources);
  const isValid = common.states.every(({ problem }) => problem === undefined);
  const sections = [
    common,
    ...names.map((name) =>
      section(name, SERVICES[name].variables, sources, isValid ? SERVICES[name] : undefined),
    ),
  ];
  for (const one of sections) process.stdout.write(options.json ? jsonLines(one) : described(one));
  const unknown = unknownVariables(sources.values);
  if (options.json) for (const one of unknown) process.stdout.write(unknownLine(one));
  const problems = sections.flatMap(({ states, conflicts }) => [
    ...states.flatMap(({ problem }) => problem ?? []),
    ...conflicts,
  ]);
  problems.push(...unknown.map(({ message }) => message));
  if (problems.length > 0) throw new CommandFailed(lines(problems));
}

/** @param entry checked as a whole if each variable is valid */
function section(
  service: Section['service'],
  variables: Variables,
  sources: EnvironmentSources,
  entry?: ServiceEntry,
): Section {
  const states = inspectVariables(variables, sources);
  if (states.some(({ problem }) => problem !== undefined)) return { service, states, conflicts: [] };
  return { service, states, conflicts: problemsOf(() => entry?.check?.(sources.values)) };
}

function jsonLines({ service, states, conflicts }: Section): string {
  const records: object[] = states.map((state) => ({ service, ...state }));
  records.push(...conflicts.map((problem) => ({ service, problem })));
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function unknownLine({ name, message }: UnknownVariable): string {
  return `${JSON.stringify({ service: 'common', name, problem: message })}\n`;
}

function described({ service, states }: Section): string {
  const paint = painter(process.stdout);
  const width = Math.max(...states.map(({ name }) => name.length));
  const rows = states.map(({ name, value, origin, problem }) => {
    const shown = `${name.padEnd(width)}  ${value === '' ? '(empty)' : value}`;
    const from = problem === undefined ? paint('dim', `  (${origin})`) : `  (${origin}, invalid)`;
    return `  ${problem === undefined ? shown : paint('red', shown)}${from}`;
  });
  const heading = service === 'common' ? 'Every service' : `The ${service} service`;
  return `${paint('bold', heading)}\n${rows.join('\n')}\n\n`;
}
