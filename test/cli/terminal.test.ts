/** Commands and services on a terminal. Other tests read what they print through pipes. */
import { describe, expect, it } from 'vitest';
import { startOnTerminal } from '../../scripts/terminal.mjs';
import { tryOnTerminal } from '../../scripts/terminal-table.mjs';
import { temporaryFolder } from '../codes/support/folder.js';
import { servicePorts } from '../support/all-services.js';
import { MAIN } from '../support/serve.js';

const TABLE_MS_MAX = 300_000;

describe.runIf(process.platform === 'linux')('on a terminal', () => {
  it(
    'every command works',
    async () => {
      const command = [process.execPath, MAIN];
      expect(await tryOnTerminal(command, { terminal: 'plain', env: process.env })).toEqual([]);
    },
    TABLE_MS_MAX,
  );

  it('services stop if the terminal is closed', async () => {
    const cwd = await temporaryFolder();
    const ports = await servicePorts();
    const env = { ...process.env, ...ports, ISCCD_DATA_DIR: cwd, ISCCD_DRAIN_SECONDS: '0' };
    const running = startOnTerminal([process.execPath, MAIN, 'serve', 'search'], { cwd, env });
    await running.shows(/Ctrl-C stops it/);
    const url = `http://127.0.0.1:${ports.INDEXSVC_PORT}/healthz`;
    expect((await fetch(url)).status).toBe(200);
    running.close();
    await expect.poll(() => fetch(url).catch(() => 'stopped'), { timeout: 30_000 }).toBe('stopped');
  });
});
