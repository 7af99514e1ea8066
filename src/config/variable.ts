/** Environment variables as data: each is declared once, and values, help and README derive from it. */
import type { z } from 'zod';

export interface Variable<T = unknown> {
  readonly name: string;
  /** From the text in the environment to the value; its message is the rule that the user reads. */
  readonly schema: z.ZodType<T, string>;
  /** As one would write it in the environment. Without it the value is `undefined` unless set. */
  readonly default?: string;
  /** What documentation shows instead of `default`, for values that depend on the machine. */
  readonly defaultShown?: string;
  readonly unit?: string;
  readonly description: string;
  /** The value never appears in a message. */
  readonly secret?: boolean;
}

/** Declarations by the property name that the program uses. */
export type Variables = Readonly<Record<string, Variable>>;

/** What {@link readVariables} gives for a set of declarations. */
export type Values<V extends Variables> = {
  readonly [K in keyof V]: V[K] extends { readonly schema: z.ZodType<infer T, string> }
    ? V[K] extends { readonly default: string }
      ? T
      : T | undefined
    : never;
};

/** The environment as a plain table; see `environment()` for the process's own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable has a value that its rule refuses. The message is one line for the user. */
export class ConfigurationInvalid extends Error {
  override readonly name = 'ConfigurationInvalid';
}

/** Checks that no name is declared twice and keeps the declarations' exact types. */
export function defineVariables<const V extends Variables>(variables: V): V {
  const names = new Set(Object.values(variables).map((variable) => variable.name));
  if (names.size !== Object.keys(variables).length) throw new Error('a variable is declared twice');
  return variables;
}

/**
 * Reads and checks every declared variable. An empty value counts as not set, because compose files
 * hand on empty strings for what is missing.
 *
 * @throws {ConfigurationInvalid} at the first value that breaks its rule
 */
export function readVariables<V extends Variables>(variables: V, environment: Environment): Values<V> {
  const entries = Object.entries(variables).map(([key, variable]) => [
    key,
    readVariable(variable, environment),
  ]);
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
