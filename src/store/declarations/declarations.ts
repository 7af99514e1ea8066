/** Declarations of the store's manifests: first try, retries, withdrawal, and the document of the key. */
import type { Db } from '../../database/open.js';
import type { Logger } from '../../observe/log.js';
import type { Trace } from '../../observe/trace.js';
import { didDocument, didOf } from '../../signing/did-web.js';
import { SigningKey } from '../../signing/key.js';
import type { Declarer, NewDeclaration, NewManifest, Retried } from '../declarer.js';
import { Attempts, type Outcome } from './attempts.js';
import { declarableContent } from './declared-content.js';
import { type Hub, HubClient } from './hub-client.js';
import { RetryLoop } from './retry-loop.js';
import { DeclarationRows } from './rows.js';

/** What a lease allows for beside the one request that is made under it. */
const LEASE_SLACK_MS = 3000;
/** After one delete that found the hub out of reach, others don't wait for its time-out one after the other. */
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
  /** Instead of a client of the configured hub. */
  readonly hub?: Hub;
  readonly now?: () => number;
}

/** Of several attempts. */
interface Progress {
  tried: number;
  left: number;
}

/** `undefined` where nothing is declared: for that there must be both a key and a hub. */
export function declarations(ports: DeclarationPorts): Declarations | undefined {
  const { hubUrl, secretSeed } = ports.config;
  if (hubUrl === undefined || secretSeed === undefined) return undefined;
  return new Declarations(ports, hubUrl, new SigningKey(secretSeed));
}

export class Declarations implements Declarer {
  readonly #hubUrl: string;
  readonly #hubId: number;
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
    const { config, db, log, now = Date.now } = ports;
    this.#hubUrl = hubUrl;
    this.#hubId = config.hubId;
    this.#key = key;
    this.#did = didOf(config.url);
    this.#timeoutMs = config.hubTimeoutSeconds * 1000;
    this.#log = log;
    this.#now = now;
    this.#hub = ports.hub ?? new HubClient(hubUrl, this.#timeoutMs);
    const rows = new DeclarationRows(db, hubUrl, this.#timeoutMs + LEASE_SLACK_MS);
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
      hub: this.#hubUrl,
      hub_id: this.#hubId,
      pubkey: this.#key.publicKey,
      datahash: content.datahash,
      fields: JSON.stringify(content),
    };
  }

  onStored(manifestKey: number, trace?: Trace): Promise<void> {
    return this.#track(this.#tryNow([manifestKey], trace));
  }

  async onDeleted(manifestKey: number, trace?: Trace): Promise<void> {
    if (this.#now() - this.#unreachableAt < UNREACHABLE_MS) return;
    await this.#forAWhile(this.#tryDeleted(manifestKey, trace));
  }

  async retry(manifestKeys: readonly number[]): Promise<Retried> {
    const progress: Progress = { tried: 0, left: 0 };
    const work = this.#tryNow(manifestKeys, undefined, progress);
    const isOver = await this.#forAWhile(work);
    if (isOver) await work;
    const { tried, left } = progress;
    const waiting = isOver ? 0 : left;
    return { retried: tried, waiting, skipped: manifestKeys.length - tried - waiting };
  }

  didDocument(): object {
    return didDocument(this.#did, this.#key.publicKey);
  }

  start(): void {
    this.#loop.start();
  }

  /** One round of retries, now. */
  round(): Promise<void> {
    return this.#track(this.#loop.round());
  }

  /** Waits for answers that are on their way: each takes the hub's time-out at most. */
  async close(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#running);
    await this.#hub.close();
  }

  async #tryDeleted(manifestKey: number, trace: Trace | undefined): Promise<void> {
    const { unreachable } = await this.#tryNow([manifestKey], trace);
    if (unreachable) this.#unreachableAt = this.#now();
  }

  /** One after the other, no further where the hub is out of reach. */
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

  /** Whether the work is over in the time that one request may take. It goes on in the background. */
  async #forAWhile(work: Promise<unknown>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#timeoutMs);
    });
    const isOver = await Promise.race([this.#track(work).then(() => true), limit]);
    clearTimeout(timer);
    return isOver;
  }

  /** Settles when the work does, whatever came of it: an unfinished declaration is the loop's. */
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
