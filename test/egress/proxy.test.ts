/** Outgoing connections through a proxy: who uses it, and what it gets to know. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { native } from '../../src/native.js';
import { HubClient } from '../../src/network/hub-client.js';
import { readCodesConfig } from '../../src/platform/config/codes.js';
import { readProxyConfig } from '../../src/platform/config/proxy.js';
import { tracingConfig, tracingVariables } from '../../src/platform/config/tracing.js';
import { readVariables } from '../../src/platform/config/variable.js';
import { outgoingFetch } from '../../src/platform/egress/fetch.js';
import { tunnelAgent } from '../../src/platform/egress/node-agent.js';
import { ProxyRule, useProxy } from '../../src/platform/egress/proxy.js';
import { PublicClient } from '../../src/platform/egress/public-client.js';
import { errorReports } from '../../src/platform/observe/error-client.js';
import { createLogger } from '../../src/platform/observe/log.js';
import { SpanExporter } from '../../src/platform/observe/spans.js';
import { newTrace } from '../../src/platform/observe/trace.js';
import { Sources } from '../../src/services/codes/sources.js';
import { GatewayClient } from '../../src/services/resolver/gateway-client.js';
import { HubClient as StoreHubClient } from '../../src/services/store/declarations/hub-client.js';
import { S3Bucket } from '../../src/storage/s3/bucket.js';
import { AUTHORITY, type Gateways, gateways } from '../resolver/support/gateways.js';
import { bytesOf, sidecar } from '../store/support/fixtures.js';
import { startStore } from '../store/support/server.js';
import { isccd } from '../support/command.js';
import { type DnsServer, dnsServer } from '../support/dns.js';
import { type RecordingProxy, recordingProxy } from '../support/proxy.js';

let proxy: RecordingProxy;
let places: Gateways;
let dns: DnsServer;
let plain = '';
let received: string[] = [];
let trustList = '';
beforeAll(async () => {
  proxy = await recordingProxy();
  places = await gateways();
  places.kinds.set('/manifests/x', 'store');
  dns = await dnsServer({
    'repo.example': ['127.0.0.1'],
    'inside.example': ['10.0.0.1'],
    'mixed.example': ['8.8.8.8', '192.168.0.1'],
  });
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.headers.host}${request.url}`);
    request.resume().on('end', () => response.end(request.url === '/list.pem' ? trustList : '{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  plain = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async () => {
    useProxy(readProxyConfig({}));
    dns.close();
    await places.close();
    await proxy.close();
    await new Promise((resolve) => server.close(resolve));
  };
});
beforeEach(() => {
  proxy.seen.length = 0;
  places.seen.length = 0;
  received = [];
});

const use = (environment: Readonly<Record<string, string>> = {}) =>
  useProxy(readProxyConfig({ ISCCD_HTTP_PROXY: proxy.url, ...environment }));
const allowed = new Set(['127.0.0.1']);
const limits = { timeoutMs: 5000, bytesMax: 1024 };

function gatewayClient(): GatewayClient {
  const client = new GatewayClient({ allowed, ca: AUTHORITY, dnsServers: [dns.address] });
  onTestFinished(() => client.close());
  return client;
}

describe('servers that others choose', () => {
  const get = (host: string, protocol: 'https' | 'http' = 'https') =>
    gatewayClient().get(`${protocol}://${host}:${places[protocol]}/manifests/x`, limits);

  it('are resolved first; the proxy gets the address, the server its name', async () => {
    use();
    expect((await get('repo.example')).kind).toBe('found');
    expect(proxy.seen).toEqual([`CONNECT 127.0.0.1:${places.https}`]);
    expect(places.seen.map(({ servername, headers }) => [servername, headers.host])).toEqual([
      ['repo.example', `repo.example:${places.https}`],
    ]);
  });

  it('without TLS have a tunnel to the address too', async () => {
    use();
    const client = new PublicClient({ allowed, dnsServers: [dns.address], plainHttp: true });
    onTestFinished(() => client.close());
    const url = new URL(`${plain.replace('127.0.0.1', 'repo.example')}/ocsp`);
    const opened = await client.get(url, () => ({}), AbortSignal.timeout(5000));
    expect(opened.kind).toBe('response');
    expect(proxy.seen).toEqual([`CONNECT ${new URL(plain).host}`]);
    expect(received).toEqual([`GET ${url.host}/ocsp`]);
  });

  it('are refused at addresses that are not public, before the proxy is connected to', async () => {
    use();
    for (const host of ['inside.example', 'mixed.example', '10.0.0.1', '[fd00::1]', '2130706434'])
      expect([host, (await get(host)).kind]).toEqual([host, 'refused']);
    expect(proxy.seen).toEqual([]);
  });

  it('are resolved by the proxy with ISCCD_PROXY_RESOLVES; addresses in URLs are checked as before', async () => {
    use({ ISCCD_PROXY_RESOLVES: 'true' });
    expect((await get('repo.example')).kind).toBe('found');
    for (const host of ['10.0.0.1', '[fd00::1]', 'localhost', 'a.localhost.'])
      expect([host, (await get(host)).kind]).toEqual([host, 'refused']);
    expect(proxy.seen).toEqual([`CONNECT repo.example:${places.https}`]);
  });

  it('without TLS get requests in the absolute form with ISCCD_PROXY_RESOLVES', async () => {
    use({ ISCCD_PROXY_RESOLVES: 'true' });
    const client = new PublicClient({ allowed: new Set(), plainHttp: true });
    onTestFinished(() => client.close());
    const address = `${plain.replace('127.0.0.1', 'repo.example')}/ocsp?a=b`;
    const signal = AbortSignal.timeout(5000);
    const opened = await client.get(new URL(address), () => ({}), signal);
    expect(opened.kind).toBe('response');
    expect(proxy.seen).toEqual([`GET ${address}`]);
    for (const host of ['10.0.0.1', 'localhost'])
      expect((await client.get(new URL(`http://${host}/`), () => ({}), signal)).kind).toBe('refused');
    expect(proxy.seen).toHaveLength(1);
    expect(received).toEqual([`GET repo.example:${new URL(plain).port}/ocsp?a=b`]);
  });

  it('are connected to directly if NO_PROXY names them, and only if they are public', async () => {
    use({ ISCCD_USE_ENV_PROXY: 'true', NO_PROXY: '.example' });
    expect((await get('repo.example')).kind).toBe('found');
    expect((await get('inside.example')).kind).toBe('refused');
    expect(proxy.seen).toEqual([]);
  });
});

describe('everything that goes out', () => {
  it('uses the proxy: sources', async () => {
    use();
    const sources = new Sources({ origins: [plain], allowed });
    onTestFinished(() => sources.close());
    const file = await sources.open(`${plain}/photo.jpg`, AbortSignal.timeout(5000));
    file.discard();
    expect(proxy.seen).toEqual([`CONNECT ${new URL(plain).host}`]);
  });

  it('uses the proxy: the hub of a store, and the hubs of a network', async () => {
    use();
    const ofStore = new StoreHubClient(plain, 5000);
    const ofNetwork = new HubClient({ allowed });
    onTestFinished(() => ofStore.close());
    onTestFinished(() => ofNetwork.close());
    await ofStore.lookup('1e20');
    const options = { resource: 'checkpoint', bytesMax: 1024, timeoutMs: 5000 } as const;
    expect((await ofNetwork.get(`${plain}/checkpoint`, options)).kind).toBe('ok');
    expect(proxy.seen).toEqual([`GET ${plain}/lookup?datahash=1e20`, `CONNECT ${new URL(plain).host}`]);
  });

  it('uses the proxy: files in S3', async () => {
    use();
    const { mediaS3 } = readCodesConfig({
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL_S3: plain,
      CODEWEB_MEDIA_PATH: 's3://bucket/media',
    });
    const bucket = new S3Bucket(mediaS3 as NonNullable<typeof mediaS3>);
    onTestFinished(() => bucket.close());
    expect(await bucket.read('a key')).toBe('{}');
    expect(proxy.seen).toEqual([`GET ${plain}/bucket/media/a%20key`]);
    expect(received).toEqual([`GET ${new URL(plain).host}/bucket/media/a%20key`]);
  });

  it('uses the proxy: traces and error reports', async () => {
    use();
    const settings = tracingConfig(readVariables(tracingVariables, { OTEL_EXPORTER_OTLP_ENDPOINT: plain }));
    const exporter = new SpanExporter(settings as NonNullable<typeof settings>, createLogger('silent'));
    const spans = exporter.of('codes');
    const span = { method: 'GET', route: '/', status: 200, seconds: 0.1, requestId: 'a' };
    spans.end({ ...span, trace: newTrace() });
    await spans.flush();
    expect(exporter.counts).toEqual({ exported: 1, dropped: 0 });
    const dsn = `${plain.replace('//', '//key@')}/1`;
    const reports = errorReports({ dsn, service: 'codes', release: '1', environment: 'production' });
    reports.report(new Error('for the receiver'), {});
    await reports.close();
    expect(proxy.seen.map((line) => line.replace(/\?.*/, ''))).toEqual([
      `POST ${plain}/v1/traces`,
      `POST ${plain}/api/1/envelope/`,
    ]);
  });

  it('uses the proxy: the token service of AWS', async () => {
    use();
    const got = await new Promise((resolve, reject) => {
      const options = { agent: tunnelAgent(), ca: AUTHORITY };
      const url = `https://repo.example:${places.https}/manifests/x`;
      httpsRequest(url, options, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(got).toBe(200);
    expect(proxy.seen).toEqual([`CONNECT repo.example:${places.https}`]);
  });

  it('uses the proxy: webhooks', { timeout: 30_000 }, async () => {
    use();
    const dataDir = await mkdtemp(path.join(tmpdir(), 'isccd-proxy-'));
    const hook = { MSTORE_WEBHOOK_URL: `${plain}/hook`, MSTORE_WEBHOOK_SECRET: `whsec_${'A'.repeat(44)}` };
    const store = await startStore({ dataDir, url: undefined }, hook);
    onTestFinished(async () => {
      await store.stop();
      await rm(dataDir, { recursive: true });
    });
    expect((await store.upload(bytesOf(sidecar('ok-ed25519')))).status).toBe(200);
    await expect.poll(() => received, { timeout: 20_000 }).toEqual([`POST ${new URL(plain).host}/hook`]);
    expect(proxy.seen).toEqual([`POST ${plain}/hook`]);
  });

  it('uses the proxy: isccd code with an address', { timeout: 30_000 }, async () => {
    const env = { ISCCD_HTTP_PROXY: proxy.url };
    const { code, stdout } = await isccd(['code', `${plain}/a.txt`, '--json'], { env });
    expect([code, (JSON.parse(stdout) as { iscc: string }).iscc]).toEqual([
      0,
      expect.stringMatching(/^ISCC:/),
    ]);
    expect(proxy.seen).toEqual([`GET ${plain}/a.txt`]);
  });
});

describe('a list of signers at an address', () => {
  it('comes through the proxy', { timeout: 30_000 }, async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'isccd-proxy-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    trustList = (await native.makeTestCertificate('es256', 'agency')).rootPem;
    const env = { ISCCD_HTTP_PROXY: proxy.url, MSTORE_DATA_DIR: dataDir };
    const update = ['store', 'trust', 'update', `${plain}/list.pem`];
    const { code, stdout, stderr } = await isccd(update, { env, cwd: dataDir });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^list of signers: list, 1 certificate /);
    expect(proxy.seen).toEqual([`GET ${plain}/list.pem`]);
  });
});

describe('a proxy that fails', () => {
  it('is named with the reason, without its password', async () => {
    const wrong = proxy.url.replace('pass', 'other');
    useProxy(readProxyConfig({ ISCCD_HTTP_PROXY: wrong }));
    const name = `http://127.0.0.1:${proxy.port}`;
    expect(await gatewayClient().get(`https://repo.example:${places.https}/manifests/x`, limits)).toEqual({
      kind: 'unreachable',
      reason: `the proxy ${name} refuses the connection to 127.0.0.1:${places.https} with status 407: check the user name and password in its address`,
    });
    const closed = await recordingProxy();
    await closed.close();
    useProxy(readProxyConfig({ ISCCD_HTTP_PROXY: closed.url }));
    const place = `http://127.0.0.1:${closed.port} could not connect to 127.0.0.1:${places.https}`;
    expect(await gatewayClient().get(`https://repo.example:${places.https}/manifests/x`, limits)).toEqual({
      kind: 'unreachable',
      reason: `the proxy ${place}: connect ECONNREFUSED 127.0.0.1:${closed.port}`,
    });
  });

  it('leaves no doubt that a declaration was not sent', async () => {
    useProxy(readProxyConfig({ ISCCD_HTTP_PROXY: proxy.url.replace('pass', 'other') }));
    const hub = new StoreHubClient(`https://repo.example:${places.https}`, 5000);
    onTestFinished(() => hub.close());
    expect(await hub.lookup('1e20')).toMatchObject({ type: 'unanswered', uncertain: false });
  });
});

describe('the variables', () => {
  const ruleOf = (environment: Readonly<Record<string, string>>) =>
    new ProxyRule(readProxyConfig(environment));
  const hosts = (rule: ProxyRule, ...urls: readonly string[]) =>
    urls.map((url) => rule.proxyOf(new URL(url))?.host);

  it('of the environment count only with ISCCD_USE_ENV_PROXY, in lower case first', () => {
    const theirs = {
      HTTPS_PROXY: 'http://secure:1',
      https_proxy: 'lower:2',
      HTTP_PROXY: 'http://plain:3',
      NO_PROXY: 'a.example',
    };
    const urls = ['https://b.example', 'http://b.example', 'https://a.example'] as const;
    expect(hosts(ruleOf(theirs), ...urls)).toEqual([undefined, undefined, undefined]);
    const on = { ...theirs, ISCCD_USE_ENV_PROXY: 'true' };
    expect(hosts(ruleOf(on), ...urls)).toEqual(['lower:2', 'plain:3', undefined]);
    const own = { ...on, ISCCD_HTTP_PROXY: 'http://own:4' };
    expect(hosts(ruleOf(own), ...urls)).toEqual(['own:4', 'own:4', undefined]);
    // Variables of other programs must not stop a start that does not use them.
    expect(ruleOf({ HTTPS_PROXY: 'socks5://one:1080' }).isOn).toBe(false);
  });

  it.each([
    ['*', 'https://any.example', true],
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://EXAMPLE.com./', true],
    ['example.com', 'https://s3.example.com', true],
    ['.example.com', 'https://s3.example.com', true],
    ['*.example.com', 'https://s3.example.com', true],
    ['example.com', 'https://notexample.com', false],
    ['example.com:8443', 'https://example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['10.0.0.0/8', 'http://10.1.2.3:9000', true],
    ['10.0.0.0/8', 'http://11.1.2.3', false],
    ['10.0.0.0/8', 'http://10.example', false],
    ['10.1.2.3:9000', 'http://10.1.2.3:9000', true],
    ['10.1.2.3:9000', 'http://10.1.2.3', false],
    ['fd00::/8', 'http://[fd00::1]', true],
    ['[fd00::1]:80', 'http://[fd00::1]', true],
    ['fd00::1', 'http://[fd00::2]', false],
    ['localhost 127.0.0.1', 'http://127.0.0.1:4318', true],
  ])('NO_PROXY=%s and %s', (noProxy, url, isDirect) => {
    const own = { ISCCD_HTTP_PROXY: 'http://proxy:3128', ISCCD_USE_ENV_PROXY: '1', NO_PROXY: noProxy };
    expect(ruleOf(own).proxyOf(new URL(url)) === undefined).toBe(isDirect);
  });

  it.each(['socks5://user:word@proxy:1080', 'http://', 'http://proxy/path', 'http://proxy?a=b', 'a b'])(
    'refuse %s, without its password',
    (address) => {
      expect(() => readProxyConfig({ ISCCD_HTTP_PROXY: address })).toThrow(
        /^ISCCD_HTTP_PROXY=(?!.*word).* must be the address of an HTTP proxy, such as/,
      );
    },
  );

  it('are shown by check config and doctor without the password', { timeout: 60_000 }, async () => {
    const env = {
      ISCCD_HTTP_PROXY: 'http://user:word@proxy.example:3128',
      HTTPS_PROXY: 'user:word@other.example:3128',
      ISCCD_USE_ENV_PROXY: 'true',
    };
    const [check, doctor] = await Promise.all([
      isccd(['check', 'config', 'codes', '--json'], { env }),
      isccd(['doctor', '--json'], { env }),
    ]);
    for (const { stdout } of [check, doctor]) {
      expect(stdout).toContain('http://(hidden)@proxy.example:3128');
      expect(stdout).toContain('(hidden)@other.example:3128');
      expect(stdout).not.toContain('word@');
    }
    expect(check.code).toBe(0);
    const broken = await isccd(['check', 'config', 'codes'], {
      env: { ISCCD_HTTP_PROXY: 'socks5://user:word@proxy:1080' },
    });
    expect(broken.code).not.toBe(0);
    expect(broken.stderr).toContain('ISCCD_HTTP_PROXY=socks5://(hidden)@proxy:1080 must be');
    expect(broken.stderr + broken.stdout).not.toContain('word');
  });
});

it('redirects of fetch use the proxy for their own target', async () => {
  use({ ISCCD_USE_ENV_PROXY: 'true', NO_PROXY: '127.0.0.1' });
  expect((await outgoingFetch(`${plain}/direct`)).status).toBe(200);
  expect(proxy.seen).toEqual([]);
  use();
  expect((await outgoingFetch(`${plain}/proxied`, { headers: { accept: 'a/b' } })).status).toBe(200);
  expect(proxy.seen).toEqual([`GET ${plain}/proxied`]);
});
