/** A program that is killed and started again with the same command. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const STOP_MS_MAX = 60_000;
/** Characters of the output that are kept. */
const OUTPUT_CHARS = 20_000;

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly uid?: number;
  readonly gid?: number;
}

export class Program {
  readonly name: string;
  readonly #command: Command;
  #child: ChildProcess | undefined;
  #output = '';

  constructor(name: string, command: Command) {
    this.name = name;
    this.#command = command;
  }

  /** The last part of what it has printed. */
  get output(): string {
    return this.#output;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get exitCode(): number | null | undefined {
    return this.#child?.exitCode;
  }

  start(): void {
    if (this.isRunning) throw new Error(`${this.name} is running`);
    const { program, args, ...options } = this.#command;
    this.#child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const keep = (data: Buffer) => {
      this.#output = (this.#output + data.toString()).slice(-OUTPUT_CHARS);
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
    this.#child.on('error', (error) => keep(Buffer.from(String(error))));
  }

  /** Ends it at once (SIGKILL). */
  async kill(): Promise<void> {
    await this.#ended('SIGKILL');
  }

  /** Lets it end. Resolves to its exit status. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null | undefined> {
    await this.#ended(signal);
    return this.#child?.exitCode;
  }

  async #ended(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const exit = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS_MAX) });
    child.kill(signal);
    await exit.catch((cause: unknown) => {
      throw new Error(`${this.name} has not ended ${STOP_MS_MAX} ms after ${signal}\n${this.output}`, {
        cause,
      });
    });
  }
}
