/** Environment variables as data. Each is declared once; values, help and documentation derive from the declaration. */
import type { z } from 'zod';

export interface Variable<T = unknown> {
  readonly name: string;
  /** Parses the text of the environment. Its messages are shown to the user. */
  readonly schema: z.ZodType<T, string>;
  /** As written in the environment. Without a default, an unset variable is `undefined`. */
  readonly default?: string;
  /** Shown in documentation instead of `default`, for defaults that depend on the machine. */
  readonly defaultShown?: string;
  readonly unit?: string;
  readonly description: string;
  /** Hides the value in messages; `'password'` hides only the user name and password of an address. */
  readonly secret?: boolean | 'password';
}

/** Declarations by property name. */
export type Variables = Readonly<Record<string, Variable>>;

/** The result of {@link readVariables}. */
export type Values<V extends Variables> = {
  readonly [K in keyof V]: V[K] extends { readonly schema: z.ZodType<infer T, string> }
    ? V[K] extends { readonly default: string }
      ? T
      : T | undefined
    : never;
};

/** Variables by name. `environment()` returns those of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration has problems: invalid values, missing or misnamed variables. */
export class ConfigurationInvalid extends Error {
  override readonly name = 'ConfigurationInvalid';
  /** One line each, for the user. */
  readonly problems: readonly string[];

  constructor(...problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Runs all steps and returns their results, so that all problems are reported together.
 *
 * @throws {ConfigurationInvalid} with the problems of all steps
 */
export function collectProblems<T>(steps: readonly (() => T)[]): T[] {
  const problems: string[] = [];
  const results = steps.flatMap((step) => {
    try {
      return [step()];
    } catch (error) {
      if (!(error instanceof ConfigurationInvalid)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0) throw new ConfigurationInvalid(...new Set(problems));
  return results;
}

/** Checks that every name is declared once. Keeps the literal types of the declarations. */
export function defineVariables<const V extends Variables>(variables: V): V {
  const names = new Set(Object.values(variables).map((variable) => variable.name));
  if (names.size !== Object.keys(variables).length) throw new Error('a variable is declared twice');
  return variables;
}

/**
 * Reads and checks all variables. An empty value counts as unset, because compose files pass empty strings for missing
 * variables.
 *
 * @throws {ConfigurationInvalid} with one problem per invalid value
 */
export function readVariables<V extends Variables>(variables: V, environment: Environment): Values<V> {
  const entries = collectProblems(
    Object.entries(variables).map(
      ([key, variable]) =>
        () =>
          [key, readVariable(variable, environment)] as const,
    ),
  );
  return Object.fromEntries(entries) as Values<V>;
}

/** @throws {ConfigurationInvalid} */
export function readVariable(variable: Variable, environment: Environment): unknown {
  const text = environment[variable.name] || variable.default;
  if (text === undefined) return undefined;
  const result = variable.schema.safeParse(text);
  if (result.success) return result.data;
  const shown = variable.secret ? '(hidden)' : JSON.stringify(text);
  const rule = result.error.issues[0]?.message ?? 'is not valid';
  throw new ConfigurationInvalid(`${variable.name}=${shown} ${rule}`);
}

/** An address without its user name and password, for messages. */
export function withoutPassword(text: string): string {
  return text.replace(/^((?:[\w+.-]+:\/\/)?).*@/s, '$1(hidden)@');
}
