/**
 * Functions of our crates that call themselves, directly or through others. Recursion over input without a bound ends the
 * process: each cycle names its depth, or the table here says what bounds it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bare } from '../support/rust-source.js';

const CRATES = path.resolve(import.meta.dirname, '../../crates');
/** Programs of tests and benches, which read no input of strangers, and a crate without functions. */
const WITHOUT = new Set(['addon-dependencies', 'bench-harness', 'fuzz', 'reference', 'web-time']);

/** Cycles without a depth, by a function in each: what bounds them. */
const BOUNDED: Readonly<Record<string, string>> = {
  'iscc-av/audio/resample.rs weights': 'calls itself once, for the mirrored position',
  'iscc-av/audio/resample.rs common_divisor': 'the numbers shrink as in Euclid’s algorithm',
  'iscc-log/signature.rs verify_part': 'halves a batch of signatures',
  'iscc-image/svg/cost.rs add_children':
    'expansion.rs refuses drawings whose elements are nested more than 1,024 deep',
  'iscc-columns/graph.rs divisor': 'the numbers shrink as in Euclid’s algorithm',
  'iscc-units/stream.rs update': 'calls the method of this name of BLAKE3',
};

interface Function {
  readonly place: string;
  readonly file: string;
  readonly name: string;
  /** Signature and body. */
  readonly text: string;
  readonly isMethod: boolean;
}

/** The index after the bracket that closes the first opening one. */
function closing(text: string, from: number, [open, close]: readonly [string, string]): number {
  let depth = 0;
  for (let at = text.indexOf(open, from); at < text.length; at += 1) {
    if (text[at] === open) depth += 1;
    else if (text[at] === close) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function functionsOf(crate: string, file: string, source: string): readonly Function[] {
  const [code = ''] = bare(source).split(/#\[cfg\(test\)\]\s*mod \w+ \{/);
  return [...code.matchAll(/\bfn (\w+)/g)].flatMap((found) => {
    const [, name = ''] = found;
    const parameters = closing(code, found.index, ['(', ')']);
    // A signature without a body belongs to a trait.
    if (code.slice(parameters).search(/[;{]/) < 0 || /^[^{]*?;/.test(code.slice(parameters))) return [];
    const text = code.slice(found.index, closing(code, parameters, ['{', '}']));
    const isMethod = /\bself\b/.test(code.slice(found.index, parameters));
    return [{ place: `${crate}/${file} ${name}`, file, name, text, isMethod }];
  });
}

/** The functions that one calls, as far as names tell: those of its file, of a named module, or with a name of their own. */
function calledBy(caller: Function, byName: ReadonlyMap<string, readonly Function[]>): readonly Function[] {
  const body = caller.text.slice(caller.text.indexOf('{'));
  const calls = /(\bself\.|\bSelf::|\b[a-z_]\w*::|\.|\b[A-Z]\w*::)?\b([a-z_]\w*)(?:::<[^()]*?>)?\(/g;
  return [...body.matchAll(calls)].flatMap(([, place = '', name = '']) => {
    const all = byName.get(name) ?? [];
    const own = all.filter(({ file }) => file === caller.file);
    // A closure of this name, or the conversion of another type.
    if (body.includes(`let ${name} = |`) || name === 'from') return [];
    if (place === 'self.' || place === 'Self::') return own;
    // A module of another crate may have the name of this one.
    const isIn = ({ file }: Function) =>
      file !== caller.file && path.basename(file, '.rs') === place.slice(0, -2);
    if (/^[a-z]/.test(place)) return all.filter(isIn);
    if (place !== '') return [];
    const free = (some: readonly Function[]) => some.filter(({ isMethod }) => !isMethod);
    if (free(own).length > 0) return free(own);
    return all.length === 1 ? free(all) : [];
  });
}

/** Groups of functions that call each other in a circle. */
function cycles(functions: readonly Function[]): readonly (readonly Function[])[] {
  const byName = new Map<string, Function[]>();
  for (const one of functions) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  const calls = new Map(functions.map((one) => [one, calledBy(one, byName)]));
  const reached = (from: Function): ReadonlySet<Function> => {
    const seen = new Set<Function>();
    const waiting = [...(calls.get(from) ?? [])];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(...(calls.get(next) ?? []));
    }
    return seen;
  };
  const reach = new Map(functions.map((one) => [one, reached(one)]));
  const inCycle = functions.filter((one) => reach.get(one)?.has(one));
  const groups = inCycle.map((one) =>
    inCycle.filter((other) => reach.get(one)?.has(other) && reach.get(other)?.has(one)),
  );
  return groups.filter(([first], at) => first === inCycle[at]);
}

/** Places of all functions of a cycle that neither names a depth nor is in the table. */
function unbounded(
  functions: readonly Function[],
  bounded: Readonly<Record<string, string>>,
): readonly string[] {
  return cycles(functions)
    .filter((cycle) => !cycle.some(({ text }) => /depth|level|nest/i.test(text)))
    .filter((cycle) => !cycle.some(({ place }) => place in bounded))
    .map((cycle) => cycle.map(({ place }) => place).join(', '));
}

const crates = readdirSync(CRATES).filter((name) => !WITHOUT.has(name));

describe('recursion', () => {
  it('is found, directly and through other functions', () => {
    const source = `
      fn walk(node: &Node) { for child in &node.children { walk(child); } }
      fn open(input: &[u8]) { read(input) }
      fn read(input: &[u8]) { if input[0] == b'{' { open(&input[1..]) } }
      fn list(input: &[u8], depth: usize) { if depth > 0 { list(input, depth - 1) } }
      impl Tree { fn add(&self) { self.add() } fn once(&self) { other.once() } }
      fn plain() { walk(node); }
    `;
    expect(unbounded(functionsOf('one', 'a.rs', source), {})).toEqual([
      'one/a.rs walk',
      'one/a.rs open, one/a.rs read',
      'one/a.rs add',
    ]);
  });

  it.each(crates)('of %s has a bound', (crate) => {
    const files = readdirSync(path.join(CRATES, crate, 'src'), { recursive: true, encoding: 'utf8' });
    const functions = files
      .filter((file) => file.endsWith('.rs') && path.basename(file) !== 'tests.rs')
      .flatMap((file) =>
        functionsOf(crate, file, readFileSync(path.join(CRATES, crate, 'src', file), 'utf8')),
      );
    expect(functions.length).toBeGreaterThan(0);
    expect(unbounded(functions, BOUNDED)).toEqual([]);
    const own = Object.keys(BOUNDED).filter((place) => place.startsWith(`${crate}/`));
    const found = cycles(functions).flatMap((cycle) => cycle.map(({ place }) => place));
    expect(own.filter((place) => !found.includes(place))).toEqual([]);
  });
});
