/** `isccd check config [SERVICE…]`: the configuration as `isccd serve` reads it, and all problems in it. */
import { SERVICE_NAMES, SERVICES, type ServiceEntry, type ServiceName } from '../../compose/services.js';
import { commonVariables } from '../../config/common.js';
import { type EnvironmentSources, environmentSources } from '../../config/env.js';
import { inspectVariables, problemOf, type VariableState } from '../../config/inspect.js';
import type { Variables } from '../../config/variable.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed } from '../terminal/failure.js';

interface Section {
  /** `common` for the variables of all services. */
  readonly service: ServiceName | 'common';
  readonly states: readonly VariableState[];
  /** A problem that involves several valid variables. */
  readonly conflict?: string | undefined;
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
  const problems = sections.flatMap(({ states, conflict }) => [
    ...states.flatMap(({ problem }) => problem ?? []),
    ...(conflict === undefined ? [] : [conflict]),
  ]);
  if (problems.length > 0) throw new CommandFailed(problems.join('\nisccd: '));
}

/** @param entry checked as a whole if each variable is valid */
function section(
  service: Section['service'],
  variables: Variables,
  sources: EnvironmentSources,
  entry?: ServiceEntry,
): Section {
  const states = inspectVariables(variables, sources);
  if (states.some(({ problem }) => problem !== undefined)) return { service, states };
  return { service, states, conflict: problemOf(() => entry?.check?.(sources.values)) };
}

function jsonLines({ service, states, conflict }: Section): string {
  const lines: object[] = states.map((state) => ({ service, ...state }));
  if (conflict !== undefined) lines.push({ service, problem: conflict });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function described({ service, states }: Section): string {
  const paint = painter(process.stdout);
  const width = Math.max(...states.map(({ name }) => name.length));
  const lines = states.map(({ name, value, origin, problem }) => {
    const shown = `${name.padEnd(width)}  ${value === '' ? '(empty)' : value}`;
    const from = problem === undefined ? paint('dim', `  (${origin})`) : `  (${origin}, invalid)`;
    return `  ${problem === undefined ? shown : paint('red', shown)}${from}`;
  });
  const heading = service === 'common' ? 'Every service' : `The ${service} service`;
  return `${paint('bold', heading)}\n${lines.join('\n')}\n\n`;
}
