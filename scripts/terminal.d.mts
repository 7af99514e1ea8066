/** A program on a pseudo-terminal; `terminal.mjs` describes it. */
export interface OnTerminal {
  output(): string;
  readonly ended: Promise<number | null>;
  type(keys: string): void;
  interrupt(): void;
  close(): void;
  shows(pattern: RegExp, msMax?: number): Promise<void>;
}

export interface TerminalOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly columns?: number | undefined;
}

export function startOnTerminal(words: readonly string[], options?: TerminalOptions): OnTerminal;

export function runOnTerminal(
  words: readonly string[],
  options?: TerminalOptions,
): Promise<{ readonly code: number | null; readonly output: string }>;
