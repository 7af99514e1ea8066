/** Parses the parts of the `Dockerfile` that tests need: how the last stage runs the program. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../../..');

export interface Image {
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  /** Commands of both stages, in order. */
  readonly runs: readonly string[];
  readonly user: string;
}

export function readImage(): Image {
  const text = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
  const instructions = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => /^([A-Z]+)\s+(.*)$/.exec(line))
    .flatMap((found) => (found === null ? [] : [{ name: found[1] as string, value: found[2] as string }]));
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
  const lastOf = (name: string) => {
    const found = last.findLast((instruction) => instruction.name === name);
    if (found === undefined) throw new Error(`the Dockerfile has no ${name}`);
    return found.value;
  };
  const list = (json: string) => JSON.parse(json.slice(json.indexOf('['))) as string[];
  return {
    environment: Object.fromEntries(
      lastOf('ENV')
        .split(/\s+/)
        .map((pair) => pair.split('=') as [string, string]),
    ),
    entrypoint: list(lastOf('ENTRYPOINT')),
    command: list(lastOf('CMD')),
    healthcheck: list(lastOf('HEALTHCHECK')),
    runs: instructions.filter(({ name }) => name === 'RUN').map(({ value }) => value),
    user: lastOf('USER'),
  };
}
