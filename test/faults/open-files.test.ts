/** The limit of open files: too low for a start, and exhausted by connections while the service runs. */
import { connect, type Socket } from 'node:net';
import { Agent, request } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { serveCodes } from '../codes/support/process.js';
import { run } from '../support/command.js';
import { MAIN } from '../support/serve.js';
import { TRANSPORTS } from '../support/transports.js';

const LIMIT = 512;
const TEXT = 'Some text of a file. '.repeat(50);
const NAME = { 'X-Upload-Filename': Buffer.from('a.txt').toString('base64') };

describe.skipIf(process.platform !== 'linux')('the limit of open files', { timeout: 60_000 }, () => {
  it('is checked at the start, before modules fail to load', async () => {
    const script = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, MAIN, 'serve', 'codes'];
    expect(await run('sh', script)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'isccd: this process may open 100 files, but services need at least 512: raise the limit with ulimit -n, or LimitNOFILE of systemd\n',
    });
  });

  describe.each(TRANSPORTS)('over %s', (transport) => {
    // One connection that is open before the others.
    const agent = new Agent({ connections: 1, keepAliveTimeout: 60_000 });
    afterAll(() => agent.close());

    it('costs uploads a 503 while connections exhaust it, and no more afterwards', async () => {
      const server = await serveCodes(await temporaryFolder(), { ISCCD_TRANSPORT: transport });
      const limited = await run('prlimit', [`--pid=${server.pid}`, `--nofile=${LIMIT}:${LIMIT}`]);
      expect(limited.code, limited.stderr).toBe(0);
      const upload = async () => {
        const target = `${server.url}/api/v1/iscc`;
        const response = await request(target, {
          dispatcher: agent,
          method: 'POST',
          headers: NAME,
          body: TEXT,
        });
        return [response.statusCode, response.headers['retry-after'], await response.body.text()];
      };
      expect((await upload())[0]).toBe(201);
      const sockets: Socket[] = [];
      for (let count = 0; count < 2 * LIMIT; count += 1)
        sockets.push(connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {}));
      const text = 'Service Unavailable - too many files and connections are open, try again in 5 s.';
      await expect.poll(upload, { timeout: 10_000, interval: 100 }).toEqual([503, '5', text]);
      const health = await request(`${server.url}/healthz`, { dispatcher: agent });
      expect(health.statusCode).toBe(200);
      await health.body.dump();
      for (const socket of sockets) socket.destroy();
      await expect.poll(async () => (await upload())[0], { timeout: 10_000 }).toBe(201);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    });
  });
});
