/** What operators do with their own account: password, sessions, second factor. Independent of HTTP. */
import type { Transaction } from 'kysely';
import { type Actor, type AuditAction, recordAudit } from '../../../storage/database/audit.js';
import { commitDurably } from '../../../storage/database/commit.js';
import type { AccountRow, Db, Tables } from '../../../storage/database/tables.js';
import { AdminRefusal } from '../errors.js';
import { newHash } from './accounts.js';
import { forgetFailures, type LoginFailures, ofAccount } from './login-failures.js';
import { passwordMatches } from './passwords.js';
import type { SecondFactors } from './second-factor.js';
import { type OpenSession, type Session, Sessions } from './sessions.js';

export interface OwnAccountView {
  readonly sessions: readonly OpenSession[];
  readonly secondFactor:
    | { readonly state: 'absent' | 'present' }
    /** To be confirmed with a code. */
    | { readonly state: 'pending'; readonly uri: string; readonly secret: string };
}

/** A session, its password as the form has it, and who acts. */
export interface Confirmed {
  readonly session: Session;
  readonly password: string;
  readonly actor: Actor;
}

export class OwnAccount {
  readonly #db: Db;
  readonly #failures: LoginFailures;
  readonly #factors: SecondFactors;

  constructor(db: Db, failures: LoginFailures, factors: SecondFactors) {
    this.#db = db;
    this.#failures = failures;
    this.#factors = factors;
  }

  async view({ username }: Session): Promise<OwnAccountView> {
    const { totp_nonce, totp_pending } = await this.#row(username);
    const sessions = await new Sessions(this.#db).list(username);
    if (totp_nonce !== null) return { sessions, secondFactor: { state: 'present' } };
    if (totp_pending === null) return { sessions, secondFactor: { state: 'absent' } };
    return {
      sessions,
      secondFactor: { state: 'pending', ...this.#factors.enrolment(totp_pending, username) },
    };
  }

  /** Also ends all other sessions of the account. */
  async changePassword({ session, password, actor }: Confirmed, next: string): Promise<void> {
    const { username, tokenHash } = session;
    const password_hash = await newHash(next, username);
    await this.#confirm(session, async (row) => {
      if (!(await passwordMatches(row.password_hash, password))) throw new AdminRefusal('PASSWORD_WRONG');
      await this.#change(row, actor, 'account-password', async (transaction) => {
        await transaction.updateTable('accounts').set({ password_hash }).where('key', '=', row.key).execute();
        await new Sessions(transaction).endOf(username, { but: tokenHash });
      });
    });
  }

  /**
   * Ends one session of the account, or all but the present one.
   *
   * @returns the number of ended ones
   */
  endSessions({ username, tokenHash }: Session, only: string | undefined, actor: Actor): Promise<number> {
    return commitDurably(this.#db, async (transaction) => {
      const which = only === undefined ? { but: tokenHash } : { only };
      const ended = await new Sessions(transaction).endOf(username, which);
      const entry = { action: 'sessions-ended', subject: username, after: { ended } } as const;
      if (ended > 0) await recordAudit(transaction, actor, [entry]);
      return ended;
    });
  }

  /** Makes a secret for the user's app. It counts when a code of the app has confirmed it. */
  async startSecondFactor({ session, password }: Omit<Confirmed, 'actor'>): Promise<void> {
    await this.#confirm(session, async (row) => {
      if (!(await passwordMatches(row.password_hash, password))) throw new AdminRefusal('PASSWORD_WRONG');
      const { numUpdatedRows } = await this.#db
        .updateTable('accounts')
        .set({ totp_pending: this.#factors.newNonce() })
        .where('key', '=', row.key)
        .where('totp_nonce', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw new AdminRefusal('FACTOR_EXISTS');
    });
  }

  async cancelSecondFactor({ username }: Session): Promise<void> {
    await this.#db
      .updateTable('accounts')
      .set({ totp_pending: null })
      .where('username', '=', username)
      .execute();
  }

  /** From now on, logins need a code. */
  async confirmSecondFactor(session: Session, code: string, actor: Actor): Promise<void> {
    await this.#confirm(session, async (row) => {
      const nonce = row.totp_pending;
      if (row.totp_nonce !== null) throw new AdminRefusal('FACTOR_EXISTS');
      if (nonce === null) throw new AdminRefusal('FACTOR_MISSING');
      const totp_step = this.#factors.step(nonce, code, null);
      if (totp_step === undefined) throw new AdminRefusal('CODE_WRONG');
      await this.#change(row, actor, 'second-factor-added', async (transaction) => {
        await transaction
          .updateTable('accounts')
          .set({ totp_nonce: nonce, totp_pending: null, totp_step })
          .where('key', '=', row.key)
          .execute();
      });
    });
  }

  /** Needs password and code: a session alone must not be enough. */
  async removeSecondFactor({ session, password, actor }: Confirmed, code: string): Promise<void> {
    await this.#confirm(session, async (row) => {
      if (row.totp_nonce === null) throw new AdminRefusal('FACTOR_MISSING');
      if (!(await passwordMatches(row.password_hash, password))) throw new AdminRefusal('PASSWORD_WRONG');
      const step = this.#factors.step(row.totp_nonce, code, row.totp_step);
      if (step === undefined) throw new AdminRefusal('CODE_WRONG');
      await this.#change(row, actor, 'second-factor-removed', async (transaction) => {
        await transaction
          .updateTable('accounts')
          .set({ totp_nonce: null, totp_step: null })
          .where('key', '=', row.key)
          .execute();
      });
    });
  }

  async #row(username: string): Promise<AccountRow> {
    return this.#db
      .selectFrom('accounts')
      .selectAll()
      .where('username', '=', username)
      .executeTakeFirstOrThrow();
  }

  /** Counts attempts that are refused, so that a stolen session is not enough to try passwords or codes. */
  async #confirm({ username }: Session, work: (row: AccountRow) => Promise<void>): Promise<void> {
    const subject = ofAccount(username, 'confirmation');
    const attempt = await this.#failures.begin(subject);
    if ('waitMs' in attempt)
      throw new AdminRefusal('PASSWORD_TRIES', { seconds: Math.ceil(attempt.waitMs / 1000) });
    await work(await this.#row(username));
    await forgetFailures(this.#db, subject);
  }

  /** Changes the account, if its password and second factor are still those of the row. */
  #change(
    row: AccountRow,
    actor: Actor,
    action: AuditAction,
    work: (transaction: Transaction<Tables>) => Promise<void>,
  ): Promise<void> {
    return commitDurably(this.#db, async (transaction) => {
      const present = await transaction
        .updateTable('accounts')
        .set({ disabled: 0 })
        .where('key', '=', row.key)
        .where('password_hash', '=', row.password_hash)
        .where('totp_nonce', 'is not distinct from', row.totp_nonce)
        .where('disabled', '=', 0)
        .returning('key')
        .executeTakeFirst();
      if (present === undefined) throw new AdminRefusal('ACCOUNT_CHANGED');
      await work(transaction);
      await recordAudit(transaction, actor, [{ action, subject: row.username }]);
    });
  }
}
