/** A node of the network in its own process, with its own folder, that follows hubs of the test. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { expect } from 'vitest';
import type { ServiceName } from '../../../src/compose/service-names.js';
import type { HubStatus } from '../../../src/network/status.js';
import { type ServedProcess, serve } from '../../support/serve.js';
import { HubDouble } from './hub-double.js';

const WAIT_MS_MAX = 60_000;
/** Concurrent requests of a comparison. */
const PARALLEL = 32;

type LoggedAssets = Pick<HubDouble, 'isccIds' | 'assets'>;

export class Node {
  readonly folder: string;
  readonly env: Record<string, string>;
  #process: ServedProcess | undefined;

  private constructor(folder: string) {
    this.folder = folder;
    this.env = {
      ISCCD_DATA_DIR: folder,
      INDEXSVC_PORT: '0',
      INDEXSVC_ENVIRONMENT: 'test',
      INDEXSVC_AGGREGATOR_NETWORK: 'testnet',
      INDEXSVC_AGGREGATOR_HUB_LIST_URL: path.join(folder, 'hubs.yaml'),
      INDEXSVC_AGGREGATOR_POLL_INTERVAL: '1',
      INDEXSVC_AGGREGATOR_HUB_REFRESH_INTERVAL: '1',
      INDEXSVC_AGGREGATOR_TEST_ALLOW: '127.0.0.1',
    };
  }

  static async create(...hubs: readonly HubDouble[]): Promise<Node> {
    const node = new Node(await mkdtemp(path.join(tmpdir(), 'isccd-network-')));
    await node.list(...hubs);
    return node;
  }

  /** Replaces the hub list. */
  list(...hubs: readonly HubDouble[]): Promise<void> {
    return writeFile(path.join(this.folder, 'hubs.yaml'), HubDouble.list(...hubs));
  }

  get urls(): ServedProcess['urls'] {
    if (this.#process === undefined) throw new Error('the node does not run');
    return this.#process.urls;
  }

  get output(): string {
    return this.#process?.output() ?? '';
  }

  /** Exit status of the process; `null` while it runs. */
  get exitCode(): number | null {
    return this.#process?.exitCode() ?? null;
  }

  async start(...services: readonly ServiceName[]): Promise<void> {
    this.#process = await serve(services.length === 0 ? ['search'] : services, { env: this.env });
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
  }

  /** Kills it and removes its folder. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true });
  }

  /** On a connection of its own: tests block this process for seconds, and the server closes idle connections meanwhile. */
  get(address: string): Promise<Response> {
    return fetch(`${this.urls.search}${address}`, { headers: { connection: 'close' } });
  }

  async assets(): Promise<number> {
    return ((await (await this.get('/status')).json()) as { index: { assets: number } }).index.assets;
  }

  async state({ hubId }: HubDouble): Promise<HubStatus | undefined> {
    const { hubs } = (await (await this.get('/status')).json()) as { hubs: readonly HubStatus[] };
    return hubs.find((each) => each.hub_id === hubId);
  }

  /** Waits until the hub is in this state with this cursor. */
  async until(double: HubDouble, state: HubStatus['state'], cursor: number, waitMs = WAIT_MS_MAX) {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const status = await this.state(double);
      if (status?.state === state && status.cursor === cursor) return status;
      if (Date.now() > deadline) expect(status).toMatchObject({ state, cursor });
      await sleep(100);
    }
  }

  /** Expects every asset that a hub's log has in force. */
  async expectAssets(log: LoggedAssets): Promise<void> {
    await expectAssets(this.urls.search, log);
  }
}

/** Expects the index of a search service to have every asset that a hub's log has in force. */
export async function expectAssets(url: string, { isccIds, assets }: LoggedAssets): Promise<void> {
  // There are thousands, and `fetch` takes several times the processor time.
  const pool = new Pool(url, { connections: PARALLEL });
  try {
    for (let start = 0; start < isccIds.length; start += PARALLEL) {
      const stored = isccIds.slice(start, start + PARALLEL).map(async (isccId) => {
        const path = `/indexes/idptest/assets/${isccId}`;
        return (await pool.request({ method: 'GET', path })).body.json();
      });
      expect(await Promise.all(stored)).toEqual(assets.slice(start, start + PARALLEL));
    }
  } finally {
    await pool.close();
  }
}
