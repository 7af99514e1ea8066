/**
 * Compares the reference pages with the source. After a change of variables, routes, errors or commands, run
 * `npm run docs` to regenerate them.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { envExample, variablesSection } from '../../src/cli/help/variables.js';
import { SERVICE_NAMES, type ServiceName } from '../../src/compose/service-names.js';
import { ERRORS as codes } from '../../src/services/codes/errors.js';
import { placesSection } from '../../src/services/codes/metadata/places-table.js';
import { ERRORS as resolver } from '../../src/services/resolver/errors.js';
import { ERRORS as search } from '../../src/services/search/errors.js';
import { ERRORS as store } from '../../src/services/store/errors.js';
import { startAllServices } from '../support/all-services.js';
import { MAIN } from '../support/serve.js';
import { ROOT } from './support/page.js';

const MADE = '<!-- Generated from the source by `npm run docs`. Do not edit. -->\n';
const COMMANDS_MS_MAX = 120_000;

const run = promisify(execFile);

interface ServedPage {
  readonly address: string;
  readonly what: string;
  /** Services that have it. Default: all. */
  readonly services?: readonly ServiceName[];
}

/** Addresses for people and programs that are not part of an API. `/metrics` needs a variable. */
const PAGES: readonly ServedPage[] = [
  { address: '/', what: 'start page: the console' },
  { address: '/docs', what: 'documentation of the API, which can send requests' },
  { address: '/openapi/openapi.json', what: 'OpenAPI 3.1 document; also `.yaml`' },
  { address: '/docs/openapi.json', what: 'the same as OpenAPI 3.0; also `.yaml`' },
  { address: '/admin/', what: 'dashboard for operators', services: ['store'] },
  {
    address: '/metrics',
    what: 'Prometheus metrics, with `ISCCD_METRICS_PUBLIC=true`; without it, only on `ISCCD_METRICS_PORT`',
  },
];

test('configuration', async () => {
  const page = readFileSync(path.join(ROOT, 'docs/reference/configuration.md'), 'utf8');
  const marked = /(<!-- variables:.*?-->\n)[\s\S]*?(<!-- \/variables -->)/;
  await written(
    'configuration',
    page.replace(marked, (_, start, end) => `${start}${variablesSection()}${end}`),
  );
});

test('places of embedded metadata', async () => {
  const page = readFileSync(path.join(ROOT, 'docs/reference/file-formats.md'), 'utf8');
  const marked = /(<!-- places:.*?-->\n)[\s\S]*?(<!-- \/places -->)/;
  expect(page).toMatch(marked);
  await written(
    'file-formats',
    page.replace(marked, (_, start, end) => `${start}${placesSection()}${end}`),
  );
});

test('.env.example', async () => {
  await expect(envExample()).toMatchFileSnapshot(path.join(ROOT, '.env.example'));
});

test('routes', async () => {
  const intro =
    'Generated from the [OpenAPI documents](../../openapi). Every GET route also accepts HEAD. Aggregator mode of search\n' +
    'adds the routes of [the network](../explanation/network.md).\n';
  const pages = `\n## Pages and documents\n\n${pageTable()}\n`;
  const sections = SERVICE_NAMES.map((name) => `\n## ${name}\n\n${routeTable(name)}\n`);
  await written('routes', `# Routes\n\n${MADE}\n${intro}${pages}${sections.join('')}`);
});

test('pages and documents of running services', { timeout: COMMANDS_MS_MAX }, async () => {
  const running = await startAllServices({ ISCCD_METRICS_PUBLIC: 'true' });
  try {
    const found = PAGES.flatMap(({ address, services = SERVICE_NAMES }) =>
      services.map(async (name) => [name, address, (await fetch(`${running.url[name]}${address}`)).status]),
    );
    const wanted = PAGES.flatMap(({ address, services = SERVICE_NAMES }) =>
      services.map((name) => [name, address, 200]),
    );
    expect(await Promise.all(found)).toEqual(wanted);
  } finally {
    await running.stop();
  }
});

test('metrics', { timeout: COMMANDS_MS_MAX }, async () => {
  const running = await startAllServices({ ISCCD_METRICS_PUBLIC: 'true' });
  try {
    const intro =
      'The metrics of one process with all services. Programs for Prometheus also find those of Node.js there: `process_…`\n' +
      'and `nodejs_…`. Shared engines, such as PostgreSQL, Redis, S3 and hubs, add their own when they are configured.\n' +
      '[Monitor](../how-to/monitor.md) says which to watch.\n';
    const text = await (await fetch(`${running.url.codes}/metrics`)).text();
    await written('metrics', `# Metrics\n\n${MADE}\n${intro}\n${metricTable(text)}\n`);
  } finally {
    await running.stop();
  }
});

test('media types', async () => {
  const source = readFileSync(path.join(ROOT, 'crates/iscc-media/src/mediatype/mode.rs'), 'utf8');
  const intro =
    'Types of files that get a Content-Code, in addition to Data-Code and Instance-Code. The type is that of the content of a\n' +
    'file, not of its name. Files of other `text/`, `image/`, `audio/` and `video/` types are tried, too. Files of all other\n' +
    'types get an ISCC-SUM: Data-Code and Instance-Code. A damaged, encrypted or too short file is refused with 422 and the\n' +
    'reason, or gets an ISCC-SUM [on request](../how-to/uploads.md#get-a-code-for-every-file).\n';
  await written('media-types', `# Media types\n\n${MADE}\n${intro}\n${mediaTypeTable(source)}\n`);
});

test('errors', async () => {
  const intro =
    'The codes service returns errors as one line of plain text, the other services as JSON with a `detail`. Every response has an\n' +
    '`X-Request-Id`, which also appears in the log lines of the request. Names in capitals are those used in the source; `{…}` is\n' +
    'replaced by a value. A refused Manifest Store has a C2PA status `code` in addition to the `detail`. A body that violates the\n' +
    'schema of the search service gets status 422 and a list of violations, each with its location and rule. A search that would\n' +
    'take longer than `INDEXSVC_SEARCH_SECONDS_MAX` gets status 400 and the lowest threshold at which it is accepted. Errors that\n' +
    'name a value of the request are not listed: 400 for assets, codes and parameters that break a rule, 404 for an index or asset\n' +
    'that does not exist, 409 for a name that is taken.\n';
  const tables = { codes, search, store, resolver };
  const sections = SERVICE_NAMES.map((name) => `\n## ${name}\n\n${errorTable(tables[name])}\n`);
  await written('errors', `# Errors\n\n${MADE}\n${intro}${sections.join('')}`);
});

test('command', { timeout: COMMANDS_MS_MAX }, async () => {
  const intro = 'The output of `--help` for each command.\n';
  const sections = (await helpTexts([])).map(({ words, help }) => {
    return `\n## ${['isccd', ...words].join(' ')}\n\n\`\`\`text\n${help}\n\`\`\`\n`;
  });
  await written('command', `# Command\n\n${MADE}\n${intro}${sections.join('')}`);
});

async function written(name: string, text: string): Promise<void> {
  await expect(text).toMatchFileSnapshot(path.join(ROOT, 'docs/reference', `${name}.md`));
}

/** Of the text format of Prometheus. */
function metricTable(text: string): string {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
  const rows = [...text.matchAll(/^# HELP (isccd_\S+) (.+)$/gm)]
    .map(([, name, help]) => row(`\`${name}\``, types.get(name) ?? '', help ?? ''))
    .sort();
  expect(rows.length).toBeGreaterThan(50);
  return ['| metric | type | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** Of the addon's list. */
function mediaTypeTable(source: string): string {
  const found = [...source.matchAll(/\("([\w.+/-]+)", Mode::(\w+)\),/g)];
  expect(found.length).toBeGreaterThan(50);
  const rows = ['Text', 'Image', 'Audio', 'Video'].map((mode) => {
    const types = found.filter(([, , its]) => its === mode).map(([, type]) => `\`${type}\``);
    return row(`${mode}-Code`, types.join(', '));
  });
  return ['| code | media types |', '|---|---|', ...rows].join('\n');
}

function pageTable(): string {
  const rows = PAGES.map(({ address, what, services }) =>
    row(`\`${address}\``, services?.join(', ') ?? 'all', what),
  );
  return ['| address | services | what |', '|---|---|---|', ...rows].join('\n');
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly responses: Readonly<Record<string, unknown>>;
}

function routeTable(name: string): string {
  const document = JSON.parse(readFileSync(path.join(ROOT, 'openapi', `${name}.json`), 'utf8'));
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>);
  const rows = paths.flatMap(([address, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, responses }]) =>
      row(
        `\`${method.toUpperCase()} ${address}\``,
        summary,
        `\`${operationId}\``,
        Object.keys(responses).join(' '),
      ),
    ),
  );
  return ['| route | summary | operation | responses |', '|---|---|---|---|', ...rows].join('\n');
}

function errorTable(table: Readonly<Record<string, readonly [number, string]>>): string {
  const rows = Object.entries(table).map(([code, [status, text]]) =>
    row(String(status), `\`${code}\``, text),
  );
  return ['| status | error | text |', '|---|---|---|', ...rows].join('\n');
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Help texts of a command and its subcommands, in the order of the help. */
async function helpTexts(words: readonly string[]): Promise<{ words: readonly string[]; help: string }[]> {
  const env = { ...process.env, COLUMNS: '100', NO_COLOR: '1' };
  const { stdout } = await run(process.execPath, [MAIN, ...words, '--help'], { env });
  const commands = /^Commands:\n((?: {2,}.*\n)+)/m.exec(stdout)?.[1] ?? '';
  const names = [...commands.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => String(name));
  const below = await Promise.all(
    names.filter((name) => name !== 'help').map((name) => helpTexts([...words, name])),
  );
  return [{ words, help: stdout.trimEnd() }, ...below.flat()];
}
