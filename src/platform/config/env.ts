/** The process environment merged with `.env` of the working directory. The only reader of both. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigurationInvalid, type Environment } from './variable.js';

/**
 * The process environment over `.env`. Variables that only the file sets are added to the process environment, for the
 * addon and for child processes.
 *
 * @throws {ConfigurationInvalid} if `.env` exists and can't be read
 */
export function environment(directory: string = process.cwd()): Environment {
  return environmentSources(directory).values;
}

/** For worker processes, which their parent has given what `.env` sets. In the sandbox they can't read it. */
export function givenEnvironment(): Environment {
  return process.env;
}

export interface EnvironmentSources {
  readonly values: Environment;
  /** Names whose values come from `.env`. */
  readonly fromFile: ReadonlySet<string>;
}

/** Lines of `.env` that are no assignment and are ignored, one message each. The text may be a secret, so it is not shown. */
export function ignoredLines(directory: string = process.cwd()): readonly string[] {
  const file = path.join(directory, '.env');
  return linesWithoutAssignment(sourceOf(file)).map(
    (line) => `${file}:${line}: is not an assignment NAME=value, so the line is ignored`,
  );
}

/** {@link environment}, and the names that only the file sets. */
export function environmentSources(directory: string = process.cwd()): EnvironmentSources {
  const inFile = Object.entries(dotEnv(path.join(directory, '.env')));
  const missing = inFile.filter(([name]) => process.env[name] === undefined);
  for (const [name, value] of missing) process.env[name] = value;
  return { values: process.env, fromFile: new Set(missing.map(([name]) => name)) };
}

/** The environment for a child process; the variable has this value unless the environment or `.env` sets it. */
export function environmentWithDefault(name: string, value: string): NodeJS.ProcessEnv {
  return name in dotEnv(path.resolve('.env')) ? process.env : { [name]: value, ...process.env };
}

function dotEnv(file: string): Environment {
  return parseDotEnv(sourceOf(file));
}

/** The text of `.env`; empty without one. */
function sourceOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return '';
    throw new ConfigurationInvalid(`${file} can't be read (${code ?? String(error)})`);
  }
}

/*
 * Not `util.parseEnv`: Node 20.12 to 20.20 cut unquoted values at `#` without a space (`A=a#b`), do not support `\\"` in
 * double quotes, and accept names with spaces. Secrets and URLs would change silently.
 */

/** One assignment: an optional `export`, the name, and the value in double, single or no quotes. */
const ASSIGNMENT =
  /^[^\S\n]*(?:export[^\S\n]+)?([A-Za-z_]\w*)[^\S\n]*=[^\S\n]*(?:"((?:\\.|[^"\\])*)"|'([^']*)'|([^\n]*?))[^\S\n]*(?:[^\S\n]#.*)?$/gm;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * Lines `NAME=value`; blank lines and lines that start with `#` are ignored. Quoted values may span lines; double
 * quotes support the escapes `\n`, `\r`, `\t`, `\"` and `\\`. Variables are not expanded.
 */
export function parseDotEnv(source: string): Environment {
  const values: Record<string, string> = {};
  for (const match of normalized(source).matchAll(ASSIGNMENT)) {
    const [, name = '', double, single, bare = ''] = match;
    values[name] = double?.replace(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char) ?? single ?? bare;
  }
  return values;
}

/** Numbers of the lines, from 1, that are neither blank, nor a comment, nor part of an assignment. */
export function linesWithoutAssignment(source: string): readonly number[] {
  // Each assignment leaves its line ends, so that lines keep their numbers.
  const rest = normalized(source).replace(ASSIGNMENT, (found) => found.replace(/[^\n]/g, ''));
  return rest.split('\n').flatMap((line, at) => (/^\s*(?:#|$)/.test(line) ? [] : [at + 1]));
}

function normalized(source: string): string {
  return source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}
