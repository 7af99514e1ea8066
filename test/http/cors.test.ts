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

const crossOrigin = (origin: string, method = 'GET', more: Record<string, string> = {}) => {
  const headers: Record<string, string> = { origin, ...more };
  return { method, origin: 'http://own.example', header: (name: string) => headers[name] };
};

overEachTransport(
  'CORS',
  (context) => {
    const call = (method: string, path: string, headers: Record<string, string>) =>
      fetch(`${context.server.url}${path}`, { method, headers });

    it('lets allowed origins read responses and errors', async () => {
      for (const path of ['/about', '/nowhere', '/broken', '/tagged']) {
        const { headers } = await call('GET', path, { Origin: 'https://a.example' });
        expect(headers.get('access-control-allow-origin')).toBe('https://a.example');
        expect(headers.get('access-control-expose-headers')).toBe('Location');
        expect(headers.get('vary')).toBe('Origin');
      }
    });

    it('sends no CORS headers to other origins', async () => {
      const { headers } = await call('GET', '/about', { Origin: 'https://evil.example' });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('vary')).toBe('Origin');
    });

    it('accepts the preflight of an allowed origin', async () => {
      const preflight = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' };
      const response = await call('OPTIONS', '/json', preflight);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': 'https://a.example',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'Content-Type, X-Upload-Filename',
        'access-control-max-age': '300',
      });
    });

    it('refuses the preflight of another origin', async () => {
      const preflight = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
      const response = await call('OPTIONS', '/json', preflight);
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([400, null]);
    });
  },
  () => demo({ cors: POLICY }),
);

describe('corsHeaders', () => {
  it('excludes methods that are not in the policy', () => {
    expect(corsHeaders(POLICY, crossOrigin('https://a.example', 'DELETE'))).toEqual(['Vary', 'Origin']);
    expect(corsHeaders(POLICY, crossOrigin('https://a.example', 'HEAD'))).toContain('https://a.example');
  });

  it('covers all methods of an open policy except closed ones', () => {
    const open = { ...POLICY, origins: ['*'], exposedHeaders: [], closedMethods: ['DELETE'] };
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PROPFIND']) {
      expect(corsHeaders(open, crossOrigin('', method))).toEqual(['Access-Control-Allow-Origin', '*']);
    }
    expect(corsHeaders(open, crossOrigin('', 'DELETE'))).toEqual([]);
    expect(isPreflight(open, { method: 'OPTIONS', origin: '', header: () => undefined })).toBe(true);
  });

  it("always allows the service's own origin", () => {
    expect(corsHeaders(POLICY, crossOrigin('http://own.example'))).toContain('http://own.example');
  });

  it('allows every origin with *', () => {
    const open = { ...POLICY, origins: ['*'], exposedHeaders: [] };
    expect(corsHeaders(open, crossOrigin('https://any.example'))).toEqual([
      'Access-Control-Allow-Origin',
      '*',
    ]);
  });
});

describe('preflightReply', () => {
  it('allows all requested headers with *', () => {
    const open = { ...POLICY, requestHeaders: ['*'] };
    const preflight = { 'access-control-request-headers': 'x-api-key' };
    const { headers } = preflightReply(open, crossOrigin('https://a.example', 'OPTIONS', preflight));
    expect(headers).toMatchObject({ 'Access-Control-Allow-Headers': 'x-api-key' });
  });

  it('returns 204 without a body by default', () => {
    const { preflightStatus: _, ...policy } = POLICY;
    expect(preflightReply(policy, crossOrigin('https://a.example', 'OPTIONS'))).toMatchObject({
      status: 204,
    });
  });
});
