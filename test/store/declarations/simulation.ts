/**
 * A store and a model hub in one process, with a simulated clock, an in-memory database, and a simulated network whose
 * faults the test chooses.
 */
import { pino } from 'pino';
import { expect } from 'vitest';
import {
  type DeclarationConfig,
  type Declarations,
  declarations,
} from '../../../src/services/store/declarations/declarations.js';
import {
  declareAnswer,
  type HttpAnswer,
  lookupAnswer,
  resolveAnswer,
  type Unanswered,
  withdrawAnswer,
} from '../../../src/services/store/declarations/hub-answers.js';
import type { Hub } from '../../../src/services/store/declarations/hub-client.js';
import { dropSettled, onTombstone } from '../../../src/services/store/declarations/on-delete.js';
import { restoreDeclaration } from '../../../src/services/store/declarations/on-restore.js';
import { migrate } from '../../../src/storage/database/migrate.js';
import { openSqlite } from '../../../src/storage/database/sqlite.js';
import type { Db, DeclarationRow } from '../../../src/storage/database/tables.js';
import { HubModel, type HubRequest } from '../../support/hub.js';
import { indexedBinding } from '../support/fixtures.js';

/** Outcome of one request. */
export type Fate =
  | 'answered'
  /** The connection is refused. */
  | 'unsent'
  /** The request is lost, and the store times out. */
  | 'lost'
  | 'answer-lost'
  /** The request arrives when the test delivers it, after the time-out. */
  | 'late'
  | 'error-500'
  | 'unavailable'
  | 'garbage'
  /** The process crashes before or after the hub gets the request. */
  | 'crash-before'
  | 'crash-after';

class Crash extends Error {}

export const HUB = 'https://hub.example';
const TIMEOUT_S = 5;
const LEASE_MS = 9000;

export interface Asset {
  readonly name: string;
  /** An ISCC-SEQ. */
  readonly binding: Buffer;
}

export class Simulation {
  readonly hub: HubModel;
  /** Outcomes of the next requests; later requests are answered. */
  fates: Fate[] = [];
  now = Date.parse('2026-11-21T08:00:00.000Z');
  readonly #db: Db;
  readonly #replacement: Hub | undefined;
  readonly #late: HubRequest[] = [];
  /** All requests, including those that were lost. */
  readonly requests: HubRequest[] = [];
  readonly #config = {
    url: 'https://store.example',
    secretSeed: Buffer.alloc(32, 7),
    hubUrl: HUB,
    hubId: 1,
    hubTimeoutSeconds: TIMEOUT_S,
    retrySeconds: 120,
  };
  #store: Declarations;

  private constructor(db: Db, dialect: '0.8.0' | '2025-08', hub: Hub | undefined) {
    this.#db = db;
    this.#replacement = hub;
    this.hub = new HubModel({ dialect, verify: false });
    this.#store = this.#start();
  }

  /** @param hub replaces the model hub and the network */
  static async create(dialect: '0.8.0' | '2025-08', hub?: Hub): Promise<Simulation> {
    const db = openSqlite(':memory:');
    await migrate(db, 'sqlite', 'the database');
    return new Simulation(db, dialect, hub);
  }

  close(): Promise<void> {
    return this.#db.destroy();
  }

  /** Stores a manifest and declares it, unless its id is taken. */
  async upload({ name, binding }: Asset): Promise<void> {
    if ((await this.manifest(name)) !== undefined) return;
    const bindings = [indexedBinding('io.iscc.v0', binding)];
    const manifest = {
      manifestId: name,
      manifestUrl: gatewayOf(name),
      uploadedAt: this.now,
      trusted: false,
      bindings,
    };
    const { key } = await this.#db
      .insertInto('manifests')
      .values({
        manifest_id: name,
        sha256: name,
        size: 1,
        uploaded_at: this.now,
        trusted: 0,
        uploader: '',
        live: 1,
        deleted_at: null,
        binding_count: 1,
        unit_count: 1,
      })
      .returning('key')
      .executeTakeFirstOrThrow();
    const row = this.#store.initial(manifest, true);
    await this.#db
      .insertInto('declarations')
      .values({ ...row, manifest_key: key, live: 1 })
      .execute();
    await this.#run(() => this.#store.onStored(key));
  }

  /** @param crash the process crashes right after the tombstone was stored */
  async delete(name: string, crash = false): Promise<void> {
    const manifest = await this.manifest(name);
    if (manifest?.live !== 1) return;
    const { key } = manifest;
    await this.#db
      .updateTable('manifests')
      .set({ live: 0, deleted_at: this.now })
      .where('key', '=', key)
      .execute();
    const row = await this.#db
      .updateTable('declarations')
      .set({ live: 0 })
      .where('manifest_key', '=', key)
      .returningAll()
      .executeTakeFirstOrThrow();
    const change = onTombstone(row);
    await this.#db
      .updateTable('declarations')
      .set({ updated_at: this.now, ...change })
      .where('manifest_key', '=', key)
      .execute();
    if (!crash) await this.#run(() => this.#store.onDeleted(key));
  }

  /** Undoes a delete. */
  async restore(name: string): Promise<void> {
    const [manifest, row] = [await this.manifest(name), await this.declaration(name)];
    if (manifest?.live !== 0 || row === undefined) throw new Error(`${name} is not deleted`);
    const at = { now: this.now, target: this.#store.target };
    await this.#db.transaction().execute(async (transaction) => {
      await transaction.updateTable('manifests').set({ live: 1 }).where('key', '=', manifest.key).execute();
      await restoreDeclaration(transaction, row, at);
    });
    await this.#run(() => this.#store.onStored(manifest.key));
  }

  /** Frees the id of a deleted manifest whose declaration is not `declared`. */
  async release(name: string): Promise<void> {
    const [manifest, row] = [await this.manifest(name), await this.declaration(name)];
    if (manifest?.live !== 0 || row === undefined || row.status === 'declared') return;
    await this.#db.transaction().execute((transaction) => dropSettled(transaction, row));
    await this.#db.deleteFrom('manifests').where('key', '=', manifest.key).execute();
  }

  async round(): Promise<void> {
    await this.#run(() => this.#store.round());
  }

  /** Two processes run a round concurrently. */
  async rounds(): Promise<void> {
    await Promise.all([this.#store.round(), this.#start().round()]);
  }

  async retry(...names: readonly string[]): Promise<{ retried: number; skipped: number }> {
    const manifests = await Promise.all(names.map((name) => this.manifest(name)));
    return this.#store.retry(manifests.map((manifest) => manifest?.key ?? -1));
  }

  /** Starts the next process, with another configuration. */
  restart(change: Partial<DeclarationConfig>): void {
    Object.assign(this.#config, change);
    this.#store = this.#start();
  }

  /** Deletes all rows of the store; the hub keeps its declarations. */
  async forget(): Promise<void> {
    await this.#db.deleteFrom('declarations').execute();
    await this.#db.deleteFrom('manifests').execute();
  }

  /** Methods and paths of the requests since the last call. */
  trace(): string[] {
    return this.requests.splice(0).map(({ method, path, headers }) => {
      const force = headers['x-force-declaration'] === undefined ? '' : ' forced';
      return `${method} ${path.replace(/ISCC:.*/, 'ID').replace(/\?.*/, '')}${force}`;
    });
  }

  /** Delivers the late requests to the hub. */
  async deliverLate(): Promise<void> {
    for (const request of this.#late.splice(0)) await this.hub.handle(request, this.now);
  }

  manifest(name: string) {
    return this.#db.selectFrom('manifests').selectAll().where('manifest_id', '=', name).executeTakeFirst();
  }

  declaration(name: string): Promise<DeclarationRow | undefined> {
    return this.#db
      .selectFrom('declarations')
      .innerJoin('manifests', 'manifests.key', 'declarations.manifest_key')
      .where('manifest_id', '=', name)
      .selectAll('declarations')
      .executeTakeFirst();
  }

  all(): Promise<DeclarationRow[]> {
    return this.#db.selectFrom('declarations').selectAll().execute();
  }

  /** Starts a process whose only state is the database. */
  #start(): Declarations {
    const log = pino({ level: 'silent' });
    const hub = this.#replacement ?? this.#network();
    const store = declarations({ config: this.#config, db: this.#db, log, hub, now: () => this.now });
    if (store === undefined) throw new Error('the store does not declare');
    return store;
  }

  /** Runs the work. After a crash, starts the next process when the lease has expired. */
  async #run(work: () => Promise<void>): Promise<void> {
    this.#crashed = false;
    await work();
    if (!this.#crashed) return;
    this.#store = this.#start();
    this.now += LEASE_MS;
  }

  #crashed = false;

  #network(): Hub {
    const send = async <T>(
      request: Omit<HubRequest, 'headers'> & { force?: boolean },
      read: (answer: HttpAnswer) => T,
    ) => {
      const headers = request.force ? { 'x-force-declaration': 'true' } : {};
      const answer = await this.#transmit({ ...request, headers });
      return 'type' in answer ? answer : read(answer);
    };
    return {
      declare: (note, force) =>
        send({ method: 'POST', path: '/declaration', body: JSON.stringify(note), force }, declareAnswer),
      withdraw: (note) =>
        send(
          { method: 'DELETE', path: `/declaration/${note.iscc_id}`, body: JSON.stringify(note) },
          withdrawAnswer,
        ),
      resolve: (isccId) => send({ method: 'GET', path: `/${isccId}`, body: '' }, resolveAnswer),
      lookup: (datahash) =>
        send({ method: 'GET', path: `/lookup?datahash=${datahash}`, body: '' }, lookupAnswer),
      close: async () => {},
    };
  }

  /** A request must end before the lease of its row, or another process would start an attempt. */
  async #expectLeased(): Promise<void> {
    const leases = await this.#db
      .selectFrom('declarations')
      .select('leased_until')
      .where('leased_until', '>', this.now + TIMEOUT_S * 1000)
      .execute();
    expect(leases.length).toBeGreaterThan(0);
  }

  async #transmit(request: HubRequest): Promise<HttpAnswer | Unanswered> {
    if (this.#crashed) throw new Crash();
    this.requests.push(request);
    await this.#expectLeased();
    this.now += 50;
    const fate = this.fates.shift() ?? 'answered';
    const deliver = async () => {
      const { status, body } = await this.hub.handle(request, this.now);
      return { status, text: body };
    };
    switch (fate) {
      case 'answered':
        return deliver();
      case 'unsent':
        return silence(false);
      case 'lost':
        this.now += TIMEOUT_S * 1000;
        return silence(true);
      case 'late':
        this.#late.push(request);
        this.now += TIMEOUT_S * 1000;
        return silence(true);
      case 'answer-lost':
        await deliver();
        return silence(true);
      case 'error-500':
        return { status: 500, text: '{"error":{"code":"error","message":"broken"}}' };
      case 'unavailable':
        return { status: 503, text: '{"error":{"code":"did_unresolvable","message":"no"}}' };
      case 'garbage':
        await deliver();
        return { status: 201, text: '<html>' };
      case 'crash-before':
      case 'crash-after':
        if (fate === 'crash-after') await deliver();
        this.#crashed = true;
        throw new Crash();
      default:
        return fate satisfies never;
    }
  }
}

export function gatewayOf(name: string): string {
  return `https://store.example/v1/manifests/${name}`;
}

function silence(uncertain: boolean): Unanswered {
  return { type: 'unanswered', reason: 'no response', uncertain, unreachable: true };
}
