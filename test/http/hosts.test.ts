/** Allowed Host headers. */
import { expect, it } from 'vitest';
import { isAllowedHost, namedHosts } from '../../src/http/head/allowed-hosts.js';
import { RequestHeaders } from '../../src/http/head/head.js';
import { demo } from './support/demo.js';
import { overEachTransport } from './support/servers.js';

const allowed = ['store.example', '127.0.0.1', '[::1]'];

it.each([
  ['store.example', true],
  ['STORE.example:8443', true],
  ['127.0.0.1:1', true],
  ['[::1]:8020', true],
  ['store.example.', false],
  ['store.example.evil.example', false],
  ['evil.example', false],
])('%s: %s', (host, expected) => {
  expect(isAllowedHost(allowed, new RequestHeaders(['host', host]))).toBe(expected);
});

it.each([
  ['127.0.0.1:8030', true],
  ['192.0.2.7', true],
  ['[2001:db8::1]:8030', true],
  ['localhost:8030', true],
  ['resolver.localhost', true],
  ['RESOLVER:8030', true],
  ['resolver.default.svc.cluster.local', true],
  ['host.docker.internal', true],
  ['evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['localhost.', false],
  ['evil.notlocal', false],
  ['[evil]', false],
])('local hosts: %s: %s', (host, expected) => {
  expect(isAllowedHost('local', new RequestHeaders(['host', host]))).toBe(expected);
});

it.each(['store.example', 'localhost', '127.0.0.1:8020', '[::1]:8020'])('named hosts: %s', (host) => {
  expect(isAllowedHost(namedHosts(['store.example']), new RequestHeaders(['host', host]))).toBe(true);
});

it('may be missing if all hosts are allowed', () => {
  expect(isAllowedHost(undefined, new RequestHeaders([]))).toBe(true);
  expect(isAllowedHost('local', new RequestHeaders([]))).toBe(true);
  expect(isAllowedHost(allowed, new RequestHeaders([]))).toBe(false);
});

overEachTransport(
  'a Host that is not allowed',
  (context) => {
    it('is refused before routing and before the body is read', async () => {
      for (const request of [
        'GET /nothing HTTP/1.1\r\nHost: evil.example\r\n\r\n',
        'POST /bytes HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 99999999\r\n\r\n',
      ]) {
        const client = await context.connect();
        client.send(request);
        expect((await client.response())?.status).toBe(400);
        expect(await client.closes()).toBe(true);
      }
    });

    it('does not affect probes, which load balancers send to the address of an instance', async () => {
      for (const [request, status] of [
        ['GET /healthz', 200],
        ['GET /readyz', 404],
        ['GET /readyz/x', 400],
      ] as const) {
        const client = await context.connect();
        client.send(`${request} HTTP/1.1\r\nHost: 192.0.2.7:8020\r\nContent-Length: 0\r\n\r\n`);
        expect([request, (await client.response())?.status]).toEqual([request, status]);
      }
    });

    it('does not affect allowed hosts', async () => {
      const client = await context.connect();
      client.send('GET /nothing HTTP/1.1\r\nHost: store.example:80\r\n\r\n');
      expect((await client.response())?.status).toBe(404);
    });
  },
  () => ({ ...demo(), allowedHosts: allowed }),
);
