/** Use cases of the dashboard. Independent of HTTP. */
import type { Database } from '../database/open.js';
import type { Logger } from '../observe/log.js';
import { Accounts } from './accounts.js';
import { type Detail, manifestDetail } from './detail.js';
import { AdminRefusal } from './errors.js';
import { type Chosen, type Counts, Overview, type Page } from './overview.js';
import type { StoreActions } from './port.js';
import type { Action, ListQuery } from './schema.js';
import { type Session, Sessions } from './sessions.js';

export class AdminService {
  readonly sessions: Sessions;
  readonly #database: Database;
  readonly #accounts: Accounts;
  readonly #overview: Overview;
  readonly #actions: StoreActions;

  constructor(database: Database, actions: StoreActions) {
    this.sessions = new Sessions(database.db);
    this.#database = database;
    this.#accounts = new Accounts(database.db);
    this.#overview = new Overview(database);
    this.#actions = actions;
  }

  /**
   * Starts a session and returns its token; `undefined` for a wrong name or password, which is logged.
   *
   * @param before the browser's token from an earlier login, whose session is ended
   */
  async login(
    username: string,
    password: string,
    { before, log }: { before: string | undefined; log: Logger },
  ): Promise<string | undefined> {
    const login = await this.#accounts.verify(username, password);
    if (login.account === undefined) {
      log.warn({ account: login.existing ?? null }, 'login refused');
      return undefined;
    }
    await this.sessions.end(before);
    return this.sessions.begin(login.account.key);
  }

  counts(): Promise<Counts> {
    return this.#overview.counts();
  }

  list({ q, status, deleted, trusted, page }: ListQuery): Promise<Page> {
    const flag = (choice: 'yes' | 'no' | undefined) => (choice === undefined ? undefined : choice === 'yes');
    const filter = { search: q, status, isDeleted: flag(deleted), isTrusted: flag(trusted) };
    return this.#overview.list(filter, page);
  }

  chosen(keys: readonly number[]): Promise<Chosen[]> {
    return this.#overview.chosen(keys);
  }

  async detail(key: number): Promise<Detail> {
    const detail = await manifestDetail(this.#database.db, key);
    if (detail === undefined) throw new AdminRefusal('NOT_FOUND');
    return detail;
  }

  /** Performs an action and returns the counts as a sentence. */
  async act(session: Session, action: Action, keys: readonly number[]): Promise<string> {
    if (!session.canDelete) throw new AdminRefusal('FORBIDDEN');
    switch (action) {
      case 'delete': {
        const { deleted, skipped } = await this.#actions.removeMany(keys);
        return summary(deleted, 'deleted', skipped);
      }
      case 'release': {
        const { released, skipped } = await this.#actions.release(keys);
        return summary(released, 'released', skipped);
      }
      case 'retry': {
        const { retried, waiting, skipped } = await this.#actions.retry(keys);
        return summary(retried, 'retried', skipped, waiting);
      }
      default:
        return action satisfies never;
    }
  }
}

/** "2 manifests deleted, 1 skipped." */
function summary(done: number, verb: string, skipped: number, waiting = 0): string {
  const parts = [`${done} ${done === 1 ? 'manifest' : 'manifests'} ${verb}`];
  if (waiting > 0) parts.push(`${waiting} being ${verb} now`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  return `${parts.join(', ')}.`;
}
