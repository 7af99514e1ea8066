/** The value of each variable, its origin, and whether it is valid. */
import { shownDefault } from './describe.js';
import type { EnvironmentSources } from './env.js';
import {
  ConfigurationInvalid,
  readVariable,
  type Variable,
  type Variables,
  withoutPassword,
} from './variable.js';

export type Origin = 'environment' | '.env' | 'default';

export interface VariableState {
  readonly name: string;
  /** As text; `(hidden)` for a secret. */
  readonly value: string;
  readonly origin: Origin;
  /** One line, if the value is invalid. */
  readonly problem?: string;
}

export function inspectVariables(variables: Variables, sources: EnvironmentSources): VariableState[] {
  return Object.values(variables).map((variable) => inspect(variable, sources));
}

function inspect(variable: Variable, { values, fromFile }: EnvironmentSources): VariableState {
  const { name, secret } = variable;
  const [problem] = problemsOf(() => readVariable(variable, values));
  const broken = problem === undefined ? {} : { problem };
  const text = values[name];
  // An empty value counts as unset.
  if (!text) {
    const value = (variable.default ?? '').trim() || shownDefault(variable);
    return { name, value, origin: 'default', ...broken };
  }
  const origin = fromFile.has(name) ? '.env' : 'environment';
  return { name, value: shownValue(text, secret), origin, ...broken };
}

function shownValue(text: string, secret: Variable['secret']): string {
  if (secret === 'password') return withoutPassword(text);
  return secret ? '(hidden)' : text;
}

/** The problems that a check reports, one line each. */
export function problemsOf(check: () => unknown): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationInvalid) return error.problems;
    throw error;
  }
}
