import { describe, expect, it } from 'vitest';
import { corsHeaders, isPreflight, preflightReply } from '../../src/http/reply/cors.js';
import type { CorsPolicy } from '../../src/http/routing/service.js';
import { demo } from './support/demo.js';
import { overEachTransport } from './support/servers.js';

const POLICY: CorsPolicy = {
  origins: ['https://a.example', 'http://b.example:8080'],
  methods: ['GET', 'POST'],
  requestHeaders: ['Content-Type', 'X-Upload-Filename'],
  exposedHeaders: ['Location'],
  maxAgeSeconds: 300,
  refusedStatus: 400,
  preflightStatus: 200,
};

const ask = (origin: string, method = 'GET', more: Record<string, string> = {}) => {
  const headers: Record<string, string> = { origin, ...more };
  return { method, origin: 'http://own.example', header: (name: string) => headers[name] };
};

overEachTransport(
  'CORS',
  (context) => {
    const call = (method: string, path: string, headers: Record<string, string>) =>
      fetch(`${context.server.url}${path}`, { method, headers });

    it('lets allowed origins read answers and errors', async () => {
      for (const path of ['/about', '/nowhere', '/broken', '/tagged']) {
        const { headers } = await call('GET', path, { Origin: 'https://a.example' });
        expect(headers.get('access-control-allow-origin')).toBe('https://a.example');
        expect(headers.get('access-control-expose-headers')).toBe('Location');
        expect(headers.get('vary')).toBe('Origin');
      }
    });

    it('tells other origins nothing', async () => {
      const { headers } = await call('GET', '/about', { Origin: 'https://evil.example' });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('vary')).toBe('Origin');
    });

    it('answers the preflight of an allowed origin', async () => {
      const asked = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' };
      const answer = await call('OPTIONS', '/json', asked);
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'access-control-allow-origin': 'https://a.example',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'Content-Type, X-Upload-Filename',
        'access-control-max-age': '300',
      });
    });

    it('refuses the preflight of another', async () => {
      const asked = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
      const answer = await call('OPTIONS', '/json', asked);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([400, null]);
    });
  },
  () => demo({ cors: POLICY }),
);

describe('corsHeaders', () => {
  it('leaves out methods that the policy does not name', () => {
    expect(corsHeaders(POLICY, ask('https://a.example', 'DELETE'))).toEqual(['Vary', 'Origin']);
    expect(corsHeaders(POLICY, ask('https://a.example', 'HEAD'))).toContain('https://a.example');
  });

  it('has it on all answers of an open policy but those of closed methods', () => {
    const open = { ...POLICY, origins: ['*'], exposedHeaders: [], closedMethods: ['DELETE'] };
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PROPFIND']) {
      expect(corsHeaders(open, ask('', method))).toEqual(['Access-Control-Allow-Origin', '*']);
    }
    expect(corsHeaders(open, ask('', 'DELETE'))).toEqual([]);
    expect(isPreflight(open, { method: 'OPTIONS', origin: '', header: () => undefined })).toBe(true);
  });

  it('always allows the service itself', () => {
    expect(corsHeaders(POLICY, ask('http://own.example'))).toContain('http://own.example');
  });

  it('allows everybody with *', () => {
    const open = { ...POLICY, origins: ['*'], exposedHeaders: [] };
    expect(corsHeaders(open, ask('https://any.example'))).toEqual(['Access-Control-Allow-Origin', '*']);
  });
});

describe('preflightReply', () => {
  it('allows the headers that are asked for with *', () => {
    const open = { ...POLICY, requestHeaders: ['*'] };
    const asked = { 'access-control-request-headers': 'x-api-key' };
    const { headers } = preflightReply(open, ask('https://a.example', 'OPTIONS', asked));
    expect(headers).toMatchObject({ 'Access-Control-Allow-Headers': 'x-api-key' });
  });

  it('answers 204 without a body by default', () => {
    const { preflightStatus: _, ...policy } = POLICY;
    expect(preflightReply(policy, ask('https://a.example', 'OPTIONS'))).toMatchObject({ status: 204 });
  });
});
