/**
 * A page in Debian's Firefox by WebDriver BiDi. Playwright's driver for it needs commands that the ESR version does not have.
 * https://w3c.github.io/webdriver-bidi/
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'undici';
import { debianProgram } from './set-up.js';

const LISTENING = /WebDriver BiDi listening on (ws:\/\/\S+)/;
const POLL_MS = 100;
const WAIT_MS_MAX = 60_000;

/** Telemetry, updates and checks of the network are off; the interface is in the language of the tests. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'intl.accept_languages': 'en-GB, en',
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'remote.prefs.recommended': true,
};

interface Message {
  readonly id?: number;
  readonly type?: string;
  readonly method?: string;
  readonly message?: string;
  readonly result?: unknown;
  readonly params?: unknown;
}

/** What scripts return: plain values only. */
interface Evaluated {
  readonly type: string;
  readonly result?: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string };
}

export class FirefoxPage {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  /** Errors and warnings of pages. */
  readonly problems: string[] = [];
  /** Addresses of all requests. */
  readonly requests: string[] = [];
  #context = '';
  #last = 0;

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data)) as Message));
  }

  /** @throws with the command to run if Firefox is missing and cannot be installed */
  static async open(): Promise<FirefoxPage> {
    const program = debianProgram(['firefox-esr', 'firefox'], 'firefox-esr fonts-dejavu-core');
    const profile = await mkdtemp(path.join(tmpdir(), 'isccd-firefox-'));
    const lines = Object.entries(PREFERENCES).map(
      ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
    );
    await writeFile(path.join(profile, 'user.js'), lines.join('\n'));
    const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
    const browser = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const socket = new WebSocket(`${await addressOf(browser)}/session`);
    await once(socket as unknown as EventTarget, 'open');
    const page = new FirefoxPage(browser, profile, socket);
    await page.#send('session.new', { capabilities: {} });
    await page.#send('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] });
    const { context } = (await page.#send('browsingContext.create', { type: 'tab' })) as { context: string };
    page.#context = context;
    return page;
  }

  async goto(url: string): Promise<void> {
    await this.#send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** The value of an expression, which may be a promise. */
  async evaluate(expression: string): Promise<unknown> {
    const target = { context: this.#context };
    const evaluated = (await this.#send('script.evaluate', {
      expression,
      target,
      awaitPromise: true,
      resultOwnership: 'none',
    })) as Evaluated;
    if (evaluated.type !== 'success')
      throw new Error(evaluated.exceptionDetails?.text ?? 'the script failed');
    return evaluated.result?.value;
  }

  /** Waits until an expression is true. */
  async until(expression: string): Promise<void> {
    const end = Date.now() + WAIT_MS_MAX;
    while ((await this.evaluate(`Boolean(${expression})`)) !== true) {
      if (Date.now() > end) throw new Error(`still not true: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async close(): Promise<void> {
    await this.#send('browser.close', {}).catch(() => {});
    this.#socket.close();
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
    await rm(this.#profile, { recursive: true, force: true });
  }

  #send(method: string, params: unknown): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ type, result, message }) => {
        if (type === 'success') resolve(result);
        else reject(new Error(`${method}: ${message}`));
      });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  #take(message: Message): void {
    const { id, method, params } = message;
    if (id !== undefined) {
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
    }
    if (method === 'log.entryAdded') {
      const { level, text } = params as { level: string; text: string };
      if (level === 'error' || level === 'warn') this.problems.push(text);
    }
    if (method === 'network.beforeRequestSent')
      this.requests.push((params as { request: { url: string } }).request.url);
  }
}

/** The address that Firefox prints once it listens. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('unreachable');
  for await (const line of createInterface({ input: stderr })) {
    const [, address] = LISTENING.exec(line) ?? [];
    if (address === undefined) continue;
    // What it prints later must not fill the pipe.
    stderr.resume();
    return address;
  }
  throw new Error('Firefox ended before it listened');
}
