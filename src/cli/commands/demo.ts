/** `isccd demo [IMAGE]`: sends one image through all four services. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DISCOVERY_PATH, ISCC_ALGORITHM } from '../../c2pa/documents.js';
import type { BindingMatch } from '../../c2pa/schema.js';
import { SERVICE_NAMES, type ServiceName } from '../../compose/service-names.js';
import { startServices, stopAll } from '../../compose/start.js';
import type { RunningServer } from '../../http/server.js';
import { native } from '../../native.js';
import type { Environment } from '../../platform/config/variable.js';
import { readNamed } from '../input/named-file.js';
import { type Asset, signedManifest } from '../input/sample-manifest.js';
import { asFailure, CommandFailed, reason } from '../terminal/failure.js';
import { Interruption } from '../terminal/interrupt.js';
import { configuredUrl } from './check-health.js';

const HEALTH_MS_MAX = 1_000;
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

interface Addresses {
  readonly codes: string;
  readonly store: string;
  readonly resolver: string;
}

interface DemoOptions {
  readonly json?: boolean;
  /** Uses the services that run on this machine at the configured addresses. The manifest stays in their store, undeclared. */
  readonly here?: boolean;
}

/** By default, starts all services over a temporary folder and ignores the environment, so that nothing stays. */
export async function demo(file: string | undefined, { json, here }: DemoOptions = {}): Promise<void> {
  const step = steps(json ? jsonLine : plainLine);
  if (!here) return demoAlone(file, step);
  const running = await runningServices();
  await step('use the running services', async () => running.resolver);
  await runSteps(running, await step('take an image', () => imageOf(file), describeImage), step);
}

async function demoAlone(file: string | undefined, step: RunStep): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-demo-'));
  const running: RunningServer[] = [];
  const cleanUp = async () => {
    await stopAll(running).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  };
  const interruption = new Interruption(cleanUp);
  try {
    const environment = await settings(folder);
    const onStarted = (_: string, server: RunningServer) => running.push(server);
    const { servers } = await step('start four services', () =>
      startServices(SERVICE_NAMES, { environment, onStarted }),
    );
    const url = (name: ServiceName) => servers.get(name)?.url ?? '';
    const addresses = { codes: url('codes'), store: url('store'), resolver: url('resolver') };
    await runSteps(addresses, await step('take an image', () => imageOf(file), describeImage), step);
  } finally {
    await interruption.over();
    await cleanUp();
  }
}

/** Addresses of the services of a first try. @throws {CommandFailed} unless all of them run, and if the store is public */
async function runningServices(): Promise<Addresses> {
  const entries = await Promise.all(
    SERVICE_NAMES.map(async (name) => [name, await configuredUrl(name)] as const),
  );
  const running = await Promise.all(entries.map(([, url]) => isRunning(url)));
  const missing = entries.filter((_, at) => !running[at]).map(([name, url]) => `${name} at ${url}`);
  if (missing.length > 0)
    throw new CommandFailed(
      `not running: ${missing.join(', ')}; start them with isccd serve, or omit --here`,
    );
  const services = Object.fromEntries(entries) as Record<ServiceName, string>;
  if (!(await isLocalStore(services.store)))
    throw new CommandFailed('the demo does not write to a store whose address others use; omit --here');
  return services;
}

/** Whether a store says that its own address is one of this machine. */
async function isLocalStore(url: string): Promise<boolean> {
  const response = await succeeded(fetch(url + DISCOVERY_PATH));
  const { apiEndpoint } = (await response.json()) as { readonly apiEndpoint: string };
  return LOCAL_HOSTS.has(new URL(apiEndpoint).hostname);
}

async function isRunning(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(HEALTH_MS_MAX) })).ok;
  } catch {
    return false;
  }
}

async function runSteps({ codes, store, resolver }: Addresses, image: Asset, step: RunStep): Promise<void> {
  const { iscc, units } = await step(
    'create its ISCC-CODE',
    () => codeOf(codes, image),
    ({ iscc }) => iscc,
  );
  const value = native.encodeSeq(units);
  const manifest = await step(
    'sign a manifest with the code as soft binding',
    () => signedManifest(image, iscc, value),
    ({ length }) => `${length} bytes, temporary certificate`,
  );
  const { manifestId } = await step(
    'store it',
    () => post<{ manifestId: string }>(`${store}/v1/manifests?declare=false`, manifest, 'application/c2pa'),
    ({ manifestId }) => manifestId,
  );
  const match = await step(
    'find it by the code',
    () => resolved(resolver, value, manifestId),
    ({ similarityScore, isccId }) => `score ${similarityScore}, ${isccId}`,
  );
  const fetched = await step(
    'fetch it through the resolver',
    () => fetchBytes(`${match.endpoint}/manifests/${encodeURIComponent(manifestId)}`),
    ({ length }) => `${length} bytes`,
  );
  await step('compare the bytes', async () => {
    if (!fetched.equals(manifest))
      throw new CommandFailed('the fetched manifest differs from the stored one');
    return createHash('sha256').update(fetched).digest('hex').slice(0, 16);
  });
}

async function settings(folder: string): Promise<Environment> {
  const port = await freePort();
  return {
    ISCCD_DATA_DIR: folder,
    CODEWEB_PORT: '0',
    CODEWEB_LOG_LEVEL: 'error',
    INDEXSVC_PORT: '0',
    INDEXSVC_LOG_LEVEL: 'error',
    APP_SECRET_KEY: randomBytes(32).toString('hex'),
    MSTORE_PORT: String(port),
    MSTORE_URL: `http://127.0.0.1:${port}`,
    MSTORE_INDEX: 'local',
    MSTORE_LOG_LEVEL: 'error',
    RESOLVER_PORT: '0',
    RESOLVER_LOG_LEVEL: 'error',
  };
}

/** The store needs its own address before it starts. */
async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs one step and prints its duration and its result, as text by `describe`. */
type RunStep = <T>(name: string, work: () => Promise<T>, describe?: (result: T) => string) => Promise<T>;

function steps(line: (name: string, ms: number, result: string) => string): RunStep {
  return async (name, work, describe = (result) => (typeof result === 'string' ? result : '')) => {
    const started = performance.now();
    try {
      const result = await work();
      process.stdout.write(`${line(name, performance.now() - started, describe(result))}\n`);
      return result;
    } catch (error) {
      throw asFailure(error) ?? new CommandFailed(`${name}: ${reason(error)}`);
    }
  };
}

function plainLine(step: string, ms: number, result: string): string {
  return `${step.padEnd(46)} ${ms.toFixed(1).padStart(8)} ms  ${result}`;
}

function jsonLine(step: string, ms: number, result: string): string {
  return JSON.stringify({ step, ms: Math.round(ms * 10) / 10, result });
}

async function imageOf(file: string | undefined): Promise<Asset> {
  if (file !== undefined) return { name: path.basename(file), bytes: await readNamed(file) };
  const { default: sharp } = await import('sharp');
  const bytes = await sharp(Buffer.from(picture())).jpeg({ quality: 90 }).toBuffer();
  return { name: 'demo.jpg', bytes };
}

function describeImage({ name, bytes }: Asset): string {
  return `${name}, ${bytes.length} bytes`;
}

/** A random landscape. */
function picture(): string {
  const random = () => Math.random();
  const hill = (base: number) => {
    const points = Array.from({ length: 13 }, (_, at) => `${at * 80},${base - random() * 140}`);
    return `M0,640 L${points.join(' L')} L960,640 Z`;
  };
  return `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="640">
    <defs><linearGradient id="sky" x2="0" y2="1">
      <stop stop-color="hsl(${210 + random() * 40},70%,45%)"/><stop offset="1" stop-color="#fde7c7"/>
    </linearGradient></defs>
    <rect width="960" height="640" fill="url(#sky)"/>
    <circle cx="${100 + random() * 760}" cy="${80 + random() * 160}" r="${30 + random() * 40}" fill="#fff3b0"/>
    <path d="${hill(420)}" fill="#6b8f9c"/><path d="${hill(520)}" fill="#44705d"/><path d="${hill(620)}" fill="#23402f"/>
  </svg>`;
}

async function codeOf(codes: string, { name, bytes }: Asset): Promise<{ iscc: string; units: string[] }> {
  const filename = { 'X-Upload-Filename': Buffer.from(name).toString('base64') };
  return post(`${codes}/api/v1/iscc`, bytes, 'application/octet-stream', filename);
}

async function resolved(resolver: string, value: Buffer, manifestId: string): Promise<BindingMatch> {
  const query = JSON.stringify({ alg: ISCC_ALGORITHM, value: value.toString('base64') });
  const { matches } = await post<{ matches: BindingMatch[] }>(
    `${resolver}/v1/matches/byBinding`,
    query,
    'application/json',
  );
  const match = matches.find((found) => found.manifestId === manifestId);
  if (match === undefined) throw new CommandFailed('the resolver does not find the stored manifest');
  return match;
}

async function post<T>(
  url: string,
  body: Buffer | string,
  contentType: string,
  headers: Record<string, string> = {},
): Promise<T> {
  const type = { 'Content-Type': contentType };
  const response = await succeeded(fetch(url, { method: 'POST', body, headers: { ...type, ...headers } }));
  return (await response.json()) as T;
}

async function fetchBytes(url: string): Promise<Buffer> {
  return Buffer.from(await (await succeeded(fetch(url))).arrayBuffer());
}

async function succeeded(request: Promise<Response>): Promise<Response> {
  const response = await request;
  if (!response.ok)
    throw new CommandFailed(`${response.url} returned ${response.status}: ${await response.text()}`);
  return response;
}
