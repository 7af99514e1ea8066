/** What each variable is set to, where that comes from and whether it keeps its rule. */
import { shownDefault } from './describe.js';
import type { EnvironmentSources } from './env.js';
import { ConfigurationInvalid, readVariable, type Variable, type Variables } from './variable.js';

export type Origin = 'environment' | '.env' | 'default';

export interface VariableState {
  readonly name: string;
  /** As text; a secret that is set is `(hidden)`. */
  readonly value: string;
  readonly origin: Origin;
  /** One line, if the value breaks its rule. */
  readonly problem?: string;
}

export function inspectVariables(variables: Variables, sources: EnvironmentSources): VariableState[] {
  return Object.values(variables).map((variable) => inspect(variable, sources));
}

function inspect(variable: Variable, { values, fromFile }: EnvironmentSources): VariableState {
  const { name, secret } = variable;
  const problem = problemOf(() => readVariable(variable, values));
  const broken = problem === undefined ? {} : { problem };
  const text = values[name];
  // An empty value counts as not set.
  if (!text) return { name, value: variable.default ?? shownDefault(variable), origin: 'default', ...broken };
  const origin = fromFile.has(name) ? '.env' : 'environment';
  return { name, value: secret ? '(hidden)' : text, origin, ...broken };
}

/** What a check complains about, in one line; `undefined` if it does not. */
export function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationInvalid) return error.message;
    throw error;
  }
}
