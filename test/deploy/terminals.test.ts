/** Commands and services on other kinds of terminals than `test/cli/terminal.test.ts`. */
import { describe, expect, it } from 'vitest';
import { TERMINALS, tryOnTerminal } from '../../scripts/terminal-table.mjs';
import { MAIN } from '../support/serve.js';

const TABLE_MS_MAX = 600_000;

describe.runIf(process.platform === 'linux')('every command works', () => {
  it.concurrent.each(Object.keys(TERMINALS).filter((terminal) => terminal !== 'plain'))(
    'with %s',
    async (terminal) => {
      const command = [process.execPath, MAIN];
      expect(await tryOnTerminal(command, { terminal, env: process.env })).toEqual([]);
    },
    TABLE_MS_MAX,
  );
});
