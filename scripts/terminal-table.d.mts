/** What a person types, on a terminal; `terminal-table.mjs` describes it. */
export const TERMINALS: Readonly<Record<string, unknown>>;

export function tryOnTerminal(
  command: readonly string[],
  options: {
    readonly terminal: string;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Promise<string[]>;
