/** Use cases of the dashboard. Independent of HTTP. */
import type { LogState } from '../../network/declared.js';
import type { Logger } from '../../platform/observe/log.js';
import { type Actor, recordAudit } from '../../storage/database/audit.js';
import { auditHead, headText } from '../../storage/database/audit-chain.js';
import {
  type AuditFilter,
  type AuditPage,
  auditPage,
  auditRecords,
} from '../../storage/database/audit-log.js';
import { commitDurably } from '../../storage/database/commit.js';
import type { Database } from '../../storage/database/open.js';
import type { AccountRow, FailedLoginRow } from '../../storage/database/tables.js';
import { Accounts } from './accounts/accounts.js';
import { auditEndedDays, countFailedLogin, openFailedLogins } from './accounts/failed-logins.js';
import { KnownBrowsers } from './accounts/known-browsers.js';
import { forgetFailures, LoginFailures } from './accounts/login-failures.js';
import { OwnAccount } from './accounts/own-account.js';
import { SecondFactors } from './accounts/second-factor.js';
import { type Client, Sessions } from './accounts/sessions.js';
import { type Activity, activity } from './activity.js';
import { type Detail, manifestDetail } from './detail.js';
import { AdminRefusal } from './errors.js';
import { type Chosen, type Counts, type MatchedRow, Overview, type Page, type Row } from './overview.js';
import type {
  FileSearch,
  HubView,
  NetworkView,
  Pictured,
  StoreActions,
  Thumbnails,
  TokenActions,
  WebhookActions,
} from './port.js';
import { type Action, type ListQuery, listFilter, listOrder } from './schema.js';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Of the second factor; empty if the user entered none. */
  readonly code?: string;
}

/** Result of a login: the session's token and the cookie of a known browser, or how long to wait. */
export type LoginResult =
  | { readonly token: string; readonly known: string }
  | { readonly token: undefined /** Seconds until the name is unlocked. */; readonly wait?: number };

export interface LoginContext extends Client {
  /** The browser's token from an earlier login, whose session is ended. */
  readonly before: string | undefined;
  /** Cookie of a known browser. */
  readonly known?: string | undefined;
  readonly log: Logger;
}

/** What was compared when a login was accepted. */
interface Accepted {
  readonly row: AccountRow;
  /** Key of the count of failures. */
  readonly subject: string;
  /** Time step of the code; `undefined` without a second factor. */
  readonly step: number | undefined;
}

export interface AdminOptions {
  /** Public address of the store. */
  readonly url: string;
  /** How long the bytes of deleted manifests are kept. */
  readonly undoDays: number;
  /** Key of the hashes of user names that no account has, of cookies of known browsers and of second factors. */
  readonly secretKey: string;
  readonly network?: NetworkView | undefined;
  readonly tokens: TokenActions;
  readonly webhooks: WebhookActions;
  readonly thumbnails: Thumbnails;
  /** `undefined` if the store does not code files. */
  readonly fileSearch?: FileSearch | undefined;
  /** The overview shows the space on their disks. */
  readonly dataFolders: readonly string[];
}

/** The manifests that fit a search. */
export interface Fitting {
  readonly total: number;
  /** The largest key: manifests stored later are not meant. */
  readonly upTo: number;
  /** The first ones, to show. */
  readonly newest: readonly Chosen[];
}

interface ActionCounts {
  done: number;
  skipped: number;
  waiting: number;
}

/** Manifests per action on all that fit, and per transaction of it. */
export const FITTING_MAX = 10_000;
const FITTING_BATCH = 500;
const FITTING_SHOWN = 20;

export class AdminService {
  readonly sessions: Sessions;
  readonly accounts: Accounts;
  readonly own: OwnAccount;
  readonly tokens: TokenActions;
  readonly webhooks: WebhookActions;
  readonly url: string;
  readonly undoDays: number;
  readonly fileSearch: FileSearch | undefined;
  readonly #database: Database;
  readonly #failures: LoginFailures;
  readonly #browsers: KnownBrowsers;
  readonly #factors: SecondFactors;
  readonly #overview: Overview;
  readonly #actions: StoreActions;
  readonly #network: NetworkView | undefined;
  readonly #thumbnails: Thumbnails;
  readonly #dataFolders: readonly string[];

  constructor(
    database: Database,
    actions: StoreActions,
    {
      url,
      undoDays,
      secretKey,
      network,
      tokens,
      webhooks,
      thumbnails,
      fileSearch,
      dataFolders,
    }: AdminOptions,
  ) {
    this.tokens = tokens;
    this.webhooks = webhooks;
    this.url = url;
    this.undoDays = undoDays;
    this.fileSearch = fileSearch;
    this.#network = network;
    this.#thumbnails = thumbnails;
    this.#dataFolders = dataFolders;
    this.sessions = new Sessions(database.db);
    this.accounts = new Accounts(database.db);
    this.#database = database;
    this.#failures = new LoginFailures(database.db, secretKey);
    this.#browsers = new KnownBrowsers(secretKey);
    this.#factors = new SecondFactors(secretKey, url);
    this.own = new OwnAccount(database.db, this.#failures, this.#factors);
    this.#overview = new Overview(database);
    this.#actions = actions;
  }

  /** Starts a session. Refusals are logged and counted with the account's name, if it exists. */
  async login({ username, password, code = '' }: Credentials, context: LoginContext): Promise<LoginResult> {
    const row = await this.accounts.find(username);
    const account = row?.username;
    const browser = account && this.#browsers.number(account, context.known);
    const subject = this.#failures.subject(username, row !== undefined, browser);
    const attempt = await this.#failures.begin(subject);
    if ('waitMs' in attempt) {
      const wait = Math.ceil(attempt.waitMs / 1000);
      await this.#refuse(account, context, { wait });
      return { token: undefined, wait };
    }
    const verified = await this.accounts.verify(row, password);
    const step = verified?.totp_nonce && this.#factors.step(verified.totp_nonce, code, verified.totp_step);
    if (verified === undefined || step === undefined) {
      await this.#refuse(account, context, {
        failures: attempt.failures,
        lockSeconds: attempt.lockMs / 1000,
      });
      return { token: undefined };
    }
    const token = await this.#begin({ row: verified, subject, step: step || undefined }, context);
    if (token === undefined) return { token };
    return { token, known: this.#browsers.cookie(verified.username, context.known) };
  }

  /** An unknown name may be a password in the wrong field, so it is neither logged nor stored. */
  async #refuse(
    account: string | undefined,
    { origin, log }: LoginContext,
    details: { readonly wait: number } | { readonly failures: number; readonly lockSeconds: number },
  ): Promise<void> {
    const isRefused = 'wait' in details;
    log.warn(
      { account: account ?? null, ...details },
      isRefused ? 'login refused: too many failures' : 'login refused',
    );
    const failed = { account, isRefused, origin: this.#failures.hashedOrigin(origin) };
    await countFailedLogin(this.#database.db, failed);
  }

  /** `undefined` if the account was changed while the hash was computed, or the code was used at the same time. */
  #begin({ row, subject, step }: Accepted, context: LoginContext): Promise<string | undefined> {
    const { key, username, password_hash, totp_nonce, last_login } = row;
    return commitDurably(this.#database.db, async (transaction) => {
      let update = transaction
        .updateTable('accounts')
        .set({ last_login: Date.now(), ...(step !== undefined && { totp_step: step }) })
        .where('key', '=', key)
        .where('password_hash', '=', password_hash)
        .where('totp_nonce', 'is not distinct from', totp_nonce)
        .where('disabled', '=', 0);
      if (step !== undefined) update = update.where('totp_step', '<', step);
      if ((await update.returning('key').executeTakeFirst()) === undefined) return undefined;
      const forgotten = await forgetFailures(transaction, subject);
      const failures = (forgotten?.failures ?? 1) - 1;
      const sessions = new Sessions(transaction);
      await sessions.end(context.before);
      const token = await sessions.begin(key, context);
      await auditEndedDays(transaction);
      const before = { lastLogin: last_login, ...(failures > 0 && { failures }) };
      const actor = { kind: 'account', name: username, origin: context.origin } as const;
      await recordAudit(transaction, actor, [{ action: 'login', subject: username, before }]);
      return token;
    });
  }

  async logout(token: string | undefined, actor: Actor): Promise<void> {
    await commitDurably(this.#database.db, async (transaction) => {
      await new Sessions(transaction).end(token);
      await recordAudit(transaction, actor, [{ action: 'logout', subject: actor.name }]);
    });
  }

  /** A page of the audit log. */
  auditPage(filter: AuditFilter, below: number | undefined): Promise<AuditPage> {
    return auditPage(this.#database.db, filter, below);
  }

  /** Head of the audit log's hash chain. */
  async auditHead(): Promise<string> {
    return headText(await auditHead(this.#database.db));
  }

  /** Failed logins that are not yet in the audit log, by account and day. */
  failedLogins(): Promise<FailedLoginRow[]> {
    return openFailedLogins(this.#database.db);
  }

  /** All matching entries of the audit log, in order. The export itself is entered too. */
  async exportAudit(filter: AuditFilter, actor: Actor): Promise<ReturnType<typeof auditRecords>> {
    await recordAudit(this.#database.db, actor, [{ action: 'audit-exported', after: filter }]);
    return auditRecords(this.#database.db, filter);
  }

  async overview(): Promise<{ counts: Counts; activity: Activity }> {
    const [counts, recent] = await Promise.all([
      this.#overview.counts(),
      activity(this.#database.db, this.#dataFolders, Date.now()),
    ]);
    return { counts, activity: recent };
  }

  /** The hubs that this process follows; `undefined` if it follows none. */
  hubs(): readonly HubView[] | undefined {
    return this.#network?.hubs();
  }

  /** Whether declarations are in the logs of their hubs, by key; `undefined` if this process follows no hubs. */
  async logStates(rows: readonly Row[]): Promise<ReadonlyMap<number, LogState> | undefined> {
    if (this.#network === undefined) return undefined;
    const declared = rows.filter(({ status, isccId }) => status === 'declared' && isccId !== undefined);
    const states = await this.#network.logStates(
      declared.map(({ isccId, pubkey, attemptedAt }) => ({
        isccId: isccId ?? '',
        key: pubkey,
        declaredMs: attemptedAt,
      })),
    );
    return new Map(
      declared.flatMap(({ key }, at) => {
        const state = states[at];
        return state === undefined ? [] : [[key, state] as const];
      }),
    );
  }

  list(query: ListQuery): Promise<Page> {
    return this.#overview.list(listFilter(query), query.page, listOrder(query));
  }

  /** Algorithms of live bindings. */
  algorithms(): Promise<string[]> {
    return this.#overview.algorithms();
  }

  /** Number of manifests that fit a search, the largest key, and the newest ones. */
  async fitting(query: ListQuery): Promise<Fitting> {
    const filter = listFilter(query);
    const { total, upTo } = await this.#overview.size(filter);
    return { total, upTo, newest: await this.#overview.next({ ...filter, upTo }, FITTING_SHOWN) };
  }

  /** Keys of manifests by their ids. */
  keysOf(manifestIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#overview.keysOf(manifestIds);
  }

  /** The live manifests with these keys, in their order. */
  async matched(keys: readonly number[]): Promise<MatchedRow[]> {
    const rows: MatchedRow[] = [];
    // One at a time: each reads a manifest.
    for (const row of await this.#overview.live(keys)) {
      rows.push({ ...row, hasThumbnail: await this.#thumbnails.has(row.manifestId) });
    }
    return rows;
  }

  chosen(keys: readonly number[]): Promise<Chosen[]> {
    return this.#overview.chosen(keys);
  }

  async detail(key: number): Promise<Pictured<Detail>> {
    const detail = await this.#stored(key);
    return { ...detail, hasThumbnail: await this.#thumbnails.has(detail.manifest.manifest_id) };
  }

  async thumbnail(key: number): Promise<{ bytes: Buffer; contentType: string }> {
    const { manifest } = await this.#stored(key);
    const thumbnail = await this.#thumbnails.of(manifest.manifest_id);
    if (thumbnail === undefined) throw new AdminRefusal('THUMBNAIL_MISSING');
    return thumbnail;
  }

  async #stored(key: number): Promise<Detail> {
    const detail = await manifestDetail(this.#database.db, key);
    if (detail === undefined) throw new AdminRefusal('NOT_FOUND');
    return detail;
  }

  /** Performs an action and returns the counts as a sentence. */
  async act(actor: Actor, action: Action, chosen: readonly Chosen[]): Promise<string> {
    return summary(action, await this.#perform(actor, action, chosen));
  }

  /** Performs an action on the manifests that fit a search and were stored before the confirmation, up to a limit. */
  async actOnFitting(actor: Actor, action: Action, query: ListQuery, upTo: number): Promise<string> {
    const filter = listFilter(query);
    const sum: ActionCounts = { done: 0, skipped: 0, waiting: 0 };
    let [below, seen] = [upTo, 0];
    while (seen < FITTING_MAX) {
      const chosen = await this.#overview.next({ ...filter, upTo: below }, FITTING_BATCH);
      if (chosen.length === 0) return summary(action, sum);
      const { done, skipped, waiting } = await this.#perform(actor, action, chosen);
      sum.done += done;
      sum.skipped += skipped;
      sum.waiting += waiting;
      seen += chosen.length;
      below = (chosen.at(-1)?.key ?? 1) - 1;
    }
    return `${summary(action, sum)} Repeat the action for further manifests.`;
  }

  async #perform(actor: Actor, action: Action, chosen: readonly Chosen[]): Promise<ActionCounts> {
    const keys = chosen.map(({ key }) => key);
    switch (action) {
      case 'delete': {
        const { deleted, skipped } = await this.#actions.removeMany(keys, actor);
        return { done: deleted, skipped, waiting: 0 };
      }
      case 'restore': {
        const { restored, skipped } = await this.#actions.restore(keys, actor);
        return { done: restored, skipped, waiting: 0 };
      }
      case 'release': {
        const { released, skipped } = await this.#actions.release(keys, actor);
        return { done: released, skipped, waiting: 0 };
      }
      case 'retry': {
        await recordAudit(this.#database.db, actor, chosen.map(retrial));
        const { retried, waiting, skipped } = await this.#actions.retry(keys);
        return { done: retried, skipped, waiting };
      }
      default:
        return action satisfies never;
    }
  }
}

function retrial({ manifestId, status }: Chosen) {
  return { action: 'declaration-retried', subject: manifestId, before: { status } } as const;
}

const DONE: Readonly<Record<Action, string>> = {
  delete: 'deleted',
  restore: 'restored',
  release: 'released',
  retry: 'retried',
};

/** "2 manifests deleted, 1 skipped." */
function summary(action: Action, { done, skipped, waiting }: ActionCounts): string {
  const verb = DONE[action];
  const parts = [`${done} ${done === 1 ? 'manifest' : 'manifests'} ${verb}`];
  if (waiting > 0) parts.push(`${waiting} being ${verb} now`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  return `${parts.join(', ')}.`;
}
