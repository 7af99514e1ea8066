/**
 * What a person types, on a terminal: every kind of command, and the services. The test suite runs it with the build, and a
 * trial release with the installed package on every version of Node.js. Both have faults that pipes do not show.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from './lib.mjs';
import { freePort } from './local-registry.mjs';
import { runOnTerminal, startOnTerminal } from './terminal.mjs';

const FILES = path.join(root, 'test', 'fixtures', 'codes', 'files');
const LOG = path.join(root, 'test', 'fixtures', 'network', 'log-a');
const LOG_OPTIONS =
  '--origin hub7.example/log --key z6MkhmvbVXSah8F8GPVy6UA6Rh3J4y7cdYv8y2PGqJVNfupb --hub-id 7 --network testnet'.split(
    ' ',
  );
const CODE = 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2';
const TOKEN = 'open sesame';
const ISCC_ID = 'ISCC:MAIGIIFJRDGEQQAA';

const ESCAPE = '\u001b';
const hasEscape = (output) => output.includes(ESCAPE);
const hasColour = (output) => output.split(ESCAPE).some((part, at) => at > 0 && /^\[[\d;]*m/.test(part));

/** Kinds of terminals; `unwanted` says what must not be sent to one. */
export const TERMINALS = {
  plain: { env: { TERM: 'xterm-256color' } },
  NO_COLOR: { env: { TERM: 'xterm-256color', NO_COLOR: '1' }, unwanted: hasColour },
  'TERM=dumb': { env: { TERM: 'dumb' }, unwanted: hasEscape },
  '40 columns': { env: { TERM: 'xterm-256color' }, columns: 40 },
};

/** A stack, or an error of Node.js: what a user must never see. */
const FAULT =
  /\b(?:Reference|Type|Syntax)Error\b|\bERR_[A-Z]|\n\s+at .+:\d+:\d+|\bUnhandled|\bExperimentalWarning/;

/** In this order, because some need the results of others. `[words, what they show, exit status if it is not 0]` */
const LOCAL = [
  [['--help'], /serve .*start services/],
  [['--version'], /\d+\.\d+\.\d+/],
  [['serve', '--env'], /CODEWEB_PORT/],
  [['check', 'config'], /MSTORE_URL/],
  [['code', 'photo.jpg'], /"iscc":"ISCC:K/],
  [['code', 'files', '--resume', 'codes.jsonl'], /6 files, 0 failed/],
  [['scan', 'files', '--out', 'scan'], /duplicates/],
  [['extract', 'photo.jpg'], /image\/jpeg/],
  [['compare', 'photo.jpg', 'files/1.jpg'], /Instance/i],
  [['explain', CODE], /ISCC-SUM-V0/],
  [['simprint', 'notes.txt'], /CONTENT_TEXT_V0/],
  [['selftest'], /vectors/],
  [['index', 'create', 'photos', '--at', 'indexes'], /photos/],
  [['index', 'add', 'photos', 'entries.jsonl', '--at', 'indexes'], /created/],
  [['index', 'list', '--at', 'indexes'], /photos/],
  [['index', 'search', 'photos', CODE, '--at', 'indexes'], /MAIGIIFJRDGEQQAA/],
  [['index', 'search', 'photos', 'photo.jpg', '--at', 'indexes', '--threshold', '0.9'], /no matches/],
  [['index', 'search', 'photos', ISCC_ID, '--at', 'indexes'], /no matches/],
  [['find', 'photo.jpg', '--in', 'photos', '--at', 'indexes'], /no matches in photos/],
  [['index', 'get', 'photos', ISCC_ID, '--at', 'indexes'], /KUABLDA46RGP3AQIGWC7QX6D7PGA2/],
  [['index', 'rm', 'photos', ISCC_ID, '--at', 'indexes'], /"deleted":1/],
  [['index', 'rm', 'photos', '--at', 'indexes'], /^/],
  [['network', 'check', 'log', ...LOG_OPTIONS], /tree +ok/],
  [['network', 'status'], /no service or folder here follows a network/, 1],
  [['network', 'verify'], /no index here follows a network/, 2],
  [['store', 'gen-key', '--url', 'https://store.example'], /MSTORE_SECKEY/],
  [['store', 'sample', 'photo.jpg'], /photo/],
  [['completion', 'bash'], /complete/],
  [['doctor'], /Problems/],
  [['demo'], /compare the bytes/],
];

/** With running services; `URL` is the address of the search service. */
const WITH_SERVICES = [
  [['check', 'health'], /resolver/],
  [['demo', 'photo.jpg', '--here'], /compare the bytes/],
  [['index', 'list', '--at', 'URL'], /c2pa|^$/],
  [['store', 'list'], /urn:c2pa|^$/],
];

/** After the services have run. */
const WITH_DATA = [
  [['store', 'account', 'list'], /^/],
  [['backup', 'backup'], /codes/],
  [['verify', 'backup'], /codes/],
  [['verify'], /codes/],
];

/** Of the names of the services' variables. */
const PREFIXES = { codes: 'CODEWEB', search: 'INDEXSVC', store: 'MSTORE', resolver: 'RESOLVER' };

/**
 * Runs the table. Returns one text per fault.
 *
 * @param {readonly string[]} command the words that start isccd
 * @param {{ terminal: string, env: Record<string, string | undefined> }} options
 */
export async function tryOnTerminal(command, { terminal, env }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'isccd-terminal-'));
  const { env: kind, columns } = TERMINALS[terminal];
  // Under CI, Node.js says that terminals have no colours.
  const { CI: _, NO_COLOR: __, FORCE_COLOR: ___, ...rest } = env;
  const ports = {};
  for (const name of Object.values(PREFIXES)) ports[`${name}_PORT`] = String(await freePort());
  const token = {
    MSTORE_OPERATOR_TOKEN_SHA256: createHash('sha256').update(TOKEN).digest('hex'),
    ISCCD_STORE_TOKEN: TOKEN,
  };
  const own = { ...ports, ...token, ISCCD_DATA_DIR: path.join(folder, 'data'), ISCCD_DRAIN_SECONDS: '0' };
  const options = { cwd: folder, columns, env: { ...rest, ...own, ...kind } };
  try {
    prepare(folder);
    return await new Table(command, terminal, options).run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Table {
  #faults = [];

  constructor(command, terminal, options) {
    this.command = command;
    this.terminal = terminal;
    this.options = options;
  }

  async run() {
    await this.#commands(LOCAL);
    // Which services run makes no difference to the kind of terminal.
    if (this.terminal === 'plain') for (const name of Object.keys(PREFIXES)) await this.#serve([name]);
    await this.#serve([], () => this.#commands(WITH_SERVICES));
    await this.#commands(WITH_DATA);
    return this.#faults;
  }

  async #commands(table) {
    for (const [words, shows, status = 0] of table) {
      const known = words.map((word) => (word === 'URL' ? this.#url('search') : word));
      const { code, output } = await runOnTerminal([...this.command, ...known], this.options);
      if (code === status) this.#judge(words, output, shows);
      else this.#report(words, `exit status ${code}`, output);
    }
  }

  async #serve(names, meanwhile = async () => {}) {
    const words = ['serve', ...names];
    const running = startOnTerminal([...this.command, ...words], this.options);
    try {
      for (const name of names.length > 0 ? names : Object.keys(PREFIXES)) {
        await running.shows(new RegExp(`${name} +${this.#url(name)}`));
        const { status } = await fetch(`${this.#url(name)}/healthz`);
        if (status !== 200) this.#report(words, `${name} is not healthy (${status})`, running.output());
      }
      await meanwhile();
      running.interrupt();
      const code = await running.ended;
      if (code === 0) this.#judge(words, running.output(), /http/);
      else this.#report(words, `exit status ${code} after Ctrl-C`, running.output());
    } catch (error) {
      this.#report(words, error.message, running.output());
    } finally {
      running.close();
    }
  }

  #url(service) {
    return `http://127.0.0.1:${this.options.env[`${PREFIXES[service]}_PORT`]}`;
  }

  #judge(words, output, shows) {
    const fault = FAULT.exec(output)?.[0];
    if (fault !== undefined) this.#report(words, fault, output);
    else if (!shows.test(output)) this.#report(words, `does not show ${shows}`, output);
    if (TERMINALS[this.terminal].unwanted?.(output))
      this.#report(words, 'escape sequences', JSON.stringify(output));
  }

  #report(words, reason, output) {
    this.#faults.push(`isccd ${words.join(' ')} (${this.terminal}): ${reason}\n${output}`);
  }
}

function prepare(folder) {
  const photo = path.join(FILES, 'photo-q85_a.jpg');
  cpSync(photo, path.join(folder, 'photo.jpg'));
  writeFileSync(path.join(folder, 'notes.txt'), 'A text that is long enough to be coded. '.repeat(20));
  mkdirSync(path.join(folder, 'files'));
  for (let number = 1; number <= 6; number += 1) cpSync(photo, path.join(folder, 'files', `${number}.jpg`));
  cpSync(path.join(LOG, 'tile'), path.join(folder, 'log', 'tile'), { recursive: true });
  cpSync(path.join(LOG, 'checkpoint-270'), path.join(folder, 'log', 'checkpoint'));
  const entry = { iscc_id: ISCC_ID, iscc_code: CODE };
  writeFileSync(path.join(folder, 'entries.jsonl'), `${JSON.stringify(entry)}\n`);
}
