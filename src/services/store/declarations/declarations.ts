/** Declarations of the store's manifests to a hub: first attempt, retries, withdrawal, and the key's document. */
import type { Logger } from '../../../platform/observe/log.js';
import type { Trace } from '../../../platform/observe/trace.js';
import { didDocument, didOf } from '../../../platform/signing/did-web.js';
import { SigningKey } from '../../../platform/signing/key.js';
import { endsWithin } from '../../../platform/time-limit.js';
import type { Db } from '../../../storage/database/tables.js';
import type { DeclarationTarget, Declarer, NewDeclaration, NewManifest, Retried } from '../declarer.js';
import type { EventLog } from '../webhooks/events.js';
import { Attempts, type Outcome } from './attempts.js';
import { declarableContent } from './declared-content.js';
import { type Hub, HubClient } from './hub-client.js';
import { RetryLoop } from './retry-loop.js';
import { DeclarationRows } from './rows.js';

/** Added to the hub's time-out, because one request runs under each lease. */
const LEASE_SLACK_MS = 3000;
/** After a delete found the hub unreachable, other deletes skip their attempt for this time instead of waiting too. */
const UNREACHABLE_MS = 10_000;

export interface DeclarationConfig {
  /** Public address of the store. */
  readonly url: string;
  /** 32 bytes. */
  readonly secretSeed: Uint8Array | undefined;
  readonly hubUrl: string | undefined;
  readonly hubId: number;
  readonly hubTimeoutSeconds: number;
  readonly retrySeconds: number;
}

export interface DeclarationPorts {
  readonly config: DeclarationConfig;
  readonly db: Db;
  readonly log: Logger;
  /** For the webhook receiver. */
  readonly events?: EventLog;
  /** Replaces the client of the configured hub, for tests. */
  readonly hub?: Hub;
  readonly now?: () => number;
}

/** Progress over several attempts. */
interface Progress {
  tried: number;
  left: number;
}

/** `undefined` unless both a key and a hub are configured. */
export function declarations(ports: DeclarationPorts): Declarations | undefined {
  const { hubUrl, secretSeed } = ports.config;
  if (hubUrl === undefined || secretSeed === undefined) return undefined;
  return new Declarations(ports, hubUrl, new SigningKey(secretSeed));
}

/** Where a store with this configuration declares; `undefined` without a key or a hub. */
export function declarationTarget({
  hubUrl,
  hubId,
  secretSeed,
}: Pick<DeclarationConfig, 'hubUrl' | 'hubId' | 'secretSeed'>): DeclarationTarget | undefined {
  if (hubUrl === undefined || secretSeed === undefined) return undefined;
  return { hub: hubUrl, hub_id: hubId, pubkey: new SigningKey(secretSeed).publicKey };
}

export class Declarations implements Declarer {
  readonly target: DeclarationTarget;
  readonly #key: SigningKey;
  readonly #did: string;
  readonly #timeoutMs: number;
  readonly #log: Logger;
  readonly #rows: DeclarationRows;
  readonly #hub: Hub;
  readonly #attempts: Attempts;
  readonly #loop: RetryLoop;
  readonly #running = new Set<Promise<void>>();
  readonly #now: () => number;
  #unreachableAt = Number.NEGATIVE_INFINITY;

  constructor(ports: DeclarationPorts, hubUrl: string, key: SigningKey) {
    const { config, db, log, events, now = Date.now } = ports;
    this.target = { hub: hubUrl, hub_id: config.hubId, pubkey: key.publicKey };
    this.#key = key;
    this.#did = didOf(config.url);
    this.#timeoutMs = config.hubTimeoutSeconds * 1000;
    this.#log = log;
    this.#now = now;
    this.#hub = ports.hub ?? new HubClient(hubUrl, this.#timeoutMs);
    const rows = new DeclarationRows(db, hubUrl, this.#timeoutMs + LEASE_SLACK_MS, events);
    const signer = { key, controller: this.#did, hubId: config.hubId };
    const attempts = new Attempts({ rows, hub: this.#hub, signer, log, now });
    this.#rows = rows;
    this.#attempts = attempts;
    this.#loop = new RetryLoop({ rows, attempts, log, now, pauseMs: config.retrySeconds * 1000 });
  }

  initial(manifest: NewManifest, wanted: boolean): NewDeclaration {
    const content = wanted ? declarableContent(manifest.bindings) : undefined;
    const row = { gateway: manifest.manifestUrl, updated_at: manifest.uploadedAt };
    if (content === undefined) return { ...row, status: 'skipped', open: 0 };
    return {
      ...row,
      status: 'pending',
      open: 1,
      ...this.target,
      datahash: content.datahash,
      fields: JSON.stringify(content),
    };
  }

  onStored(manifestKey: number, trace?: Trace): Promise<void> {
    return this.#track(this.#tryNow([manifestKey], trace));
  }

  async onDeleted(manifestKey: number, trace?: Trace): Promise<void> {
    const since = this.#now() - this.#unreachableAt;
    // Negative after the clock was set back.
    if (since >= 0 && since < UNREACHABLE_MS) return;
    await this.#waitAtMost(this.#tryDeleted(manifestKey, trace));
  }

  async retry(manifestKeys: readonly number[]): Promise<Retried> {
    const progress: Progress = { tried: 0, left: 0 };
    const work = this.#tryNow(manifestKeys, undefined, progress);
    const isDone = await this.#waitAtMost(work);
    if (isDone) await work;
    const { tried, left } = progress;
    const waiting = isDone ? 0 : left;
    return { retried: tried, waiting, skipped: manifestKeys.length - tried - waiting };
  }

  didDocument(): object {
    return didDocument(this.#did, this.#key.publicKey);
  }

  start(): void {
    this.#loop.start();
  }

  /** Runs one round of retries now. */
  round(): Promise<void> {
    return this.#track(this.#loop.round());
  }

  /** Waits for requests in flight, each at most for the hub's time-out. */
  async close(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#running);
    await this.#hub.close();
  }

  async #tryDeleted(manifestKey: number, trace: Trace | undefined): Promise<void> {
    const { unreachable } = await this.#tryNow([manifestKey], trace);
    if (unreachable) this.#unreachableAt = this.#now();
  }

  /** Runs attempts one after the other. Stops when the hub is unreachable. */
  async #tryNow(
    manifestKeys: readonly number[],
    trace?: Trace,
    progress: Progress = { tried: 0, left: 0 },
  ): Promise<Outcome> {
    const keys = await this.#rows.openOf(manifestKeys);
    progress.left = keys.length;
    for (const key of keys) {
      const outcome = await this.#attempts.run(key, trace);
      progress.tried += 1;
      progress.left -= 1;
      if (outcome.unreachable) return outcome;
    }
    return { unreachable: false };
  }

  /** Waits for the hub's time-out at most; the work then continues in the background. Returns whether it is done. */
  #waitAtMost(work: Promise<unknown>): Promise<boolean> {
    return endsWithin(this.#timeoutMs, this.#track(work));
  }

  /** Resolves when the work ends, even if it fails: the retry loop continues an unfinished declaration. */
  async #track(work: Promise<unknown>): Promise<void> {
    const quiet = work.then(
      () => {},
      (error: unknown) => this.#log.error({ err: error }, 'a declaration failed'),
    );
    this.#running.add(quiet);
    await quiet;
    this.#running.delete(quiet);
  }
}
