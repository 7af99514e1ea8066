/** The search service on a free port, and its test fixtures. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type RunningServer, startServer } from '../../../src/http/server.js';
import { loadTransport } from '../../../src/http/transport/load-transport.js';
import { searchVariables } from '../../../src/platform/config/search.js';
import { readVariables } from '../../../src/platform/config/variable.js';
import { createLogger } from '../../../src/platform/observe/log.js';
import type { Metrics } from '../../../src/platform/observe/metrics.js';
import { searchApp } from '../../../src/services/search/app.js';
import { located } from './locations.js';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures/search');
const BATCH_ASSETS = 500;

/**
 * Starts the service with its data in `folder`, and waits until its indexes are loaded.
 *
 * @param metrics served at `/metrics`
 * @param allowed addresses of webhooks that need not be public
 */
export async function startSearch(
  folder: string,
  environment: Record<string, string> = {},
  transport: Parameters<typeof loadTransport>[0] = 'auto',
  metrics?: Metrics,
  allowed?: ReadonlySet<string>,
): Promise<RunningServer> {
  const wanted = environment.INDEXSVC_INDEX_URI;
  const location = wanted === undefined ? undefined : await located(wanted);
  const variables = { ...environment, ...(location !== undefined && { INDEXSVC_INDEX_URI: location }) };
  const config = readVariables(searchVariables, variables);
  const log = createLogger('error');
  const app = await searchApp(config, folder, undefined, undefined, allowed);
  const served = metrics === undefined ? {} : { metrics, servesMetrics: true };
  const options = { host: '127.0.0.1', port: 0, transport: loadTransport(transport, log), log, ...served };
  const server = await startServer(app, options);
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await pause(10);
  return server;
}

/** Rows of a fixture. */
export async function rows<T>(file: string): Promise<T[]> {
  const text = await readFile(path.join(FIXTURES, file), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const type = { 'Content-Type': 'application/json' };
  return fetch(url, { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body) });
}

/** Creates an index with the recorded collection. */
export async function addCollection(url: string, index: string): Promise<void> {
  await expectStatus(post(`${url}/indexes`, { name: index }), 201);
  const assets = await rows('assets.jsonl');
  for (let at = 0; at < assets.length; at += BATCH_ASSETS) {
    await expectStatus(post(`${url}/indexes/${index}/assets`, assets.slice(at, at + BATCH_ASSETS)), 201);
  }
}

async function expectStatus(sent: Promise<Response>, status: number): Promise<void> {
  const response = await sent;
  if (response.status !== status) throw new Error(`${response.status}: ${await response.text()}`);
}
