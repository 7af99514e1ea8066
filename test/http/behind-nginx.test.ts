/** Malformed requests through nginx: proxy and service never disagree on where a request ends. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, Running } from '../deploy/support/running.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';
import { chunked, HOST, NEXT, post, REFUSED, SILENT_OR_REFUSED, SMUGGLED } from './support/malformed.js';
import { RawClient } from './support/raw.js';
import { overEachTransport } from './support/servers.js';

/** Well-formed, but proxies and servers have disagreed on them. */
const UNUSUAL: readonly (readonly [name: string, request: string])[] = [
  ['an empty header name before Content-Length', post(': b\r\nContent-Length: 5\r\n', 'hello')],
  ['an empty header name before Transfer-Encoding', post(': b\r\nTransfer-Encoding: chunked\r\n', chunked)],
  ['a chunk extension', post('Transfer-Encoding: chunked\r\n', '5;a=b\r\nhello\r\n0\r\n\r\n')],
  ['a trailer', post('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\nX-A: b\r\n\r\n')],
  ['an underscore in a header name', post('Content_Length: 0\r\nContent-Length: 5\r\n', 'hello')],
  ['HTTP/1.0', `GET /about HTTP/1.0\r\n${HOST}\r\n`],
  ['an absolute target', `GET http://x/about HTTP/1.1\r\n${HOST}\r\n`],
  ['leading line ends', `\r\n\r\nGET /about HTTP/1.1\r\n${HOST}\r\n`],
  ['50 headers', `GET /about HTTP/1.1\r\n${HOST}${'X-A: b\r\n'.repeat(50)}\r\n`],
];

overEachTransport('behind nginx', (context) => {
  const running = new Running();
  let folder = '';
  let port = 0;
  beforeAll(async () => {
    const nginx = debianProgram(['nginx', '/usr/sbin/nginx'], 'nginx-light');
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-nginx-'));
    port = await freePort();
    await writeFile(path.join(folder, 'nginx.conf'), configuration(folder, port, context.server.port));
    running.start(nginx, ['-c', path.join(folder, 'nginx.conf'), '-p', folder, '-e', 'stderr'], {});
    await running.until(async () => (await fetch(`http://127.0.0.1:${port}/about`)).ok);
  }, INSTALL_MAX_MS);
  afterAll(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });

  describe.each([...REFUSED, ...SILENT_OR_REFUSED, ...UNUSUAL])('%s', (_, request) => {
    it('smuggles nothing, and the next client is served', async () => {
      const client = await RawClient.connect(port);
      client.send(withSmuggled(request));
      await client.response({ ms: 1000 }).catch(() => undefined);
      client.destroy();
      expect(context.app.seen.handled).not.toContain('DELETE /thing/smuggled');
      // nginx may reuse its connection to the service, which must be in step.
      const next = await RawClient.connect(port);
      next.send(NEXT);
      expect((await next.response())?.status).toBe(200);
      next.destroy();
    });
  });

  // The control of this file: without nginx, this request does smuggle over uWebSockets.js.
  it.runIf(context.transport === 'uws')('hides headers after an empty name without nginx', async () => {
    const client = await context.connect();
    client.send(withSmuggled(UNUSUAL[0]?.[1] ?? ''));
    await expect.poll(() => context.app.seen.handled).toContain('DELETE /thing/smuggled');
  });
});

/** The body that the headers in question declare begins another request. */
function withSmuggled(request: string): string {
  return request.replace('hello', SMUGGLED.slice(0, 5)) + SMUGGLED.slice(5);
}

/** As `docs/how-to/reverse-proxy.md` says, with one kept connection for all clients. */
function configuration(folder: string, port: number, service: number): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events {}
http {
access_log off;
${paths}
upstream service { server 127.0.0.1:${service}; keepalive 1; }
server {
  listen 127.0.0.1:${port};
  location / {
    proxy_pass http://service;
    proxy_request_buffering off;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
  }
}
}
`;
}
