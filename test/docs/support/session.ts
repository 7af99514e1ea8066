/** Runs the blocks of one page as a reader would: in one shell and one folder. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import ts from 'typescript';
import { SERVICE_NAMES } from '../../../src/compose/service-names.js';
import { servicePorts } from '../../support/all-services.js';
import { type Block, type Page, ROOT } from './page.js';

/** Parts of a clone that pages refer to. */
const LINKED = ['dist', 'examples', 'native', 'openapi', 'test', 'node_modules/isccd'];
/** A page that takes longer counts as hung. */
export const PAGE_MS_MAX = 300_000;
/** Default ports as written in pages, in the order of the services. */
const PORTS = ['8000', '8010', '8020', '8030'];

/** One command of a page, with its expected and its actual output. */
export interface Step {
  readonly line: number;
  readonly command: string;
  readonly expected: string | undefined;
  /** `undefined` if the step was not reached. */
  readonly printed: string | undefined;
}

export interface Outcome {
  readonly steps: readonly Step[];
  readonly exitCode: number | null;
}

interface Planned extends Omit<Step, 'printed'> {
  /** TypeScript source that the command runs. */
  readonly source?: string;
}

export async function runPage({ blocks }: Page): Promise<Outcome> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-docs-'));
  const ports = await servicePorts();
  try {
    await linkClone(folder);
    const planned = blocks.filter(({ notRun }) => notRun === undefined).flatMap(steps);
    const toTest = addressChanger(Object.values(ports));
    for (const { line, source } of planned)
      if (source !== undefined)
        await writeFile(path.join(folder, scriptName(line)), javaScript(toTest(source)));
    const script = scriptOf(planned, toTest);
    const { output, exitCode } = await bash(script, folder, ports);
    const printed = output.split(/^@@\d+\n/m).slice(1);
    const done = planned.map(({ line, command, expected }, at) => ({
      line,
      command,
      expected: expected === undefined ? undefined : toTest(expected),
      printed: printed[at],
    }));
    return { steps: done, exitCode };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function linkClone(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'node_modules'));
  for (const name of LINKED)
    await symlink(name === 'node_modules/isccd' ? ROOT : path.join(ROOT, name), path.join(folder, name));
}

function steps(block: Block): Planned[] {
  const { language, text, line } = block;
  switch (language) {
    case 'sh':
      return [{ line, command: text, expected: undefined }];
    case 'console':
      return consoleSteps(block);
    case 'ts':
      return [
        { line, command: `node "$ISCCD_DOCS_ROOT/${scriptName(line)}"`, expected: undefined, source: text },
      ];
    default:
      return [];
  }
}

function scriptName(line: number): string {
  return `block-${line}.mjs`;
}

/** `$ ` starts a command, `> ` continues it, all other lines are expected output. */
function consoleSteps({ text, line }: Block): Planned[] {
  const found: { line: number; command: string; expected: string }[] = [];
  for (const [at, row] of text.split('\n').entries()) {
    const last = found.at(-1);
    if (row.startsWith('$ ')) found.push({ line: line + 1 + at, command: row.slice(2), expected: '' });
    else if (last === undefined) throw new Error(`line ${line + 1 + at}: a console block starts with "$ "`);
    else if (row.startsWith('> ')) last.command += `\n${row.slice(2)}`;
    else last.expected += `${row}\n`;
  }
  return found;
}

function scriptOf(planned: readonly Planned[], toTest: (text: string) => string): string {
  const head = ['exec 2>&1', 'set -eo pipefail', 'shopt -s expand_aliases', STOP_AT_END];
  const parts = planned.map(({ command }, at) => `printf '\\n@@%d\\n' ${at}\n${serving(toTest(command))}`);
  return [...head, ...parts].join('\n');
}

const STOP_AT_END = "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT";

/** Pages start servers in another terminal: run `isccd serve` in the background and wait until it listens. */
function serving(command: string): string {
  return command.replace(/^(?:(?:\w+=\S+ )*)(?:isccd serve(?! --)[^\n&|]*|npm start)$/gm, (line) => {
    const names = SERVICE_NAMES.filter((name) => line.split(/\s+/).includes(name));
    const count = names.length === 0 ? SERVICE_NAMES.length : names.length;
    const start = line.replace('npm start', 'isccd serve');
    return [
      'kill $(jobs -p) 2>/dev/null || true; wait',
      // Output of the previous server must not count as output of this one.
      ': > "$ISCCD_DOCS_ROOT/serve.log"',
      `${start} > "$ISCCD_DOCS_ROOT/serve.log" 2>&1 &`,
      'for try in $(seq 300); do',
      `  [ "$(grep -c "documentation http" "$ISCCD_DOCS_ROOT/serve.log")" = ${count} ] && break; sleep 0.1`,
      'done',
      'cat "$ISCCD_DOCS_ROOT/serve.log"',
    ].join('\n');
  });
}

/** Replaces the default ports in pages by the free ports of this test. */
function addressChanger(ports: readonly string[]): (text: string) => string {
  return (text) =>
    PORTS.reduce(
      (changed, port, at) =>
        changed.replaceAll(new RegExp(`(localhost|127\\.0\\.0\\.1):${port}\\b`, 'g'), `$1:${ports[at]}`),
      text,
    );
}

function javaScript(source: string): string {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  return outputText;
}

async function bash(
  script: string,
  folder: string,
  ports: Readonly<Record<string, string>>,
): Promise<{ output: string; exitCode: number | null }> {
  await mkdir(path.join(folder, 'bin'));
  const command = `#!/bin/sh\nexec "${process.execPath}" "${path.join(ROOT, 'dist/cli/main.js')}" "$@"\n`;
  await writeFile(path.join(folder, 'bin/isccd'), command, { mode: 0o755 });
  const env = {
    ...process.env,
    ...ports,
    HOME: folder,
    ISCCD_DOCS_ROOT: folder,
    PATH: `${path.join(folder, 'bin')}${path.delimiter}${process.env.PATH}`,
  };
  const child = spawn('bash', ['-c', script], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PAGE_MS_MAX,
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { output: await text(child.stdout), exitCode: await exited };
}
