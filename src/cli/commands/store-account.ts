/** `isccd store account ...`: works on the store's database, whether the store runs or not. */
import { type Account, Accounts } from '../../services/dashboard/accounts/accounts.js';
import { AdminRefusal } from '../../services/dashboard/errors.js';
import { ROLES, type Role } from '../../storage/database/tables.js';
import { commandActor } from '../input/actor.js';
import { withStoreDatabase } from '../input/store-database.js';
import { CommandFailed, EXIT_CONFIGURATION } from '../terminal/failure.js';
import { newPassword, type PasswordOptions } from '../terminal/password.js';

interface ResultOptions {
  readonly json?: boolean;
}

export async function add(
  name: string,
  options: PasswordOptions & ResultOptions & { role?: Role; canDelete?: boolean },
): Promise<void> {
  const password = await newPassword(options);
  const role = options.role ?? (options.canDelete ? 'deleter' : 'viewer');
  await change(
    name,
    options,
    `account ${name.toLowerCase()} created`,
    (accounts) => accounts.add(name, password, role, commandActor()),
    { creates: true },
  );
}

export async function changePassword(name: string, options: PasswordOptions & ResultOptions): Promise<void> {
  const password = await newPassword(options);
  await change(name, options, `password of ${name.toLowerCase()} changed`, (accounts) =>
    accounts.changePassword(name, password, commandActor()),
  );
}

export async function setDisabled(name: string, isDisabled: boolean, options: ResultOptions): Promise<void> {
  const outcome = `account ${name.toLowerCase()} ${isDisabled ? 'disabled' : 'enabled'}`;
  await change(name, options, outcome, (accounts) => accounts.setDisabled(name, isDisabled, commandActor()));
}

export async function setRole(name: string, role: string, options: ResultOptions): Promise<void> {
  const known = ROLES.find((one) => one === role);
  if (known === undefined) {
    throw new CommandFailed(`the role must be one of ${ROLES.join(', ')}`, EXIT_CONFIGURATION);
  }
  await change(name, options, `account ${name.toLowerCase()} has the role ${known}`, (accounts) =>
    accounts.setRole(name, known, commandActor()),
  );
}

export async function unlock(name: string, options: ResultOptions): Promise<void> {
  await change(name, options, `account ${name.toLowerCase()} unlocked`, (accounts) =>
    accounts.unlock(name, commandActor()),
  );
}

export async function removeFactor(name: string, options: ResultOptions): Promise<void> {
  await change(name, options, `second factor of ${name.toLowerCase()} removed`, (accounts) =>
    accounts.removeSecondFactor(name, commandActor()),
  );
}

/** Changes an account and reports the outcome: as a line on standard error and, with `--json`, as the account. */
async function change(
  name: string,
  { json }: ResultOptions,
  outcome: string,
  work: (accounts: Accounts) => Promise<unknown>,
  options?: { readonly creates: boolean },
): Promise<void> {
  const username = name.toLowerCase();
  const changed = await using(async (accounts) => {
    await work(accounts);
    return json ? (await accounts.list()).find((account) => account.username === username) : undefined;
  }, options);
  process.stderr.write(`isccd: ${outcome}\n`);
  if (changed !== undefined) process.stdout.write(`${JSON.stringify(changed)}\n`);
}

export async function list(options: ResultOptions): Promise<void> {
  const accounts = await using((all) => all.list());
  for (const account of accounts) {
    process.stdout.write(`${options.json ? JSON.stringify(account) : line(account)}\n`);
  }
}

function line({ username, role, isDisabled, createdAt, lastLogin, lockedUntil, ...more }: Account): string {
  const state = isDisabled
    ? '  disabled'
    : lockedUntil === undefined
      ? ''
      : `  locked until ${day(lockedUntil)}`;
  const login = lastLogin === undefined ? 'never logged in' : `last login ${day(lastLogin)}`;
  const factor = more.hasSecondFactor ? '  second factor' : '';
  return `${username.padEnd(24)} ${role.padEnd(8)} created ${day(createdAt)}  ${login}${factor}${state}`;
}

function day(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

async function using<T>(
  work: (accounts: Accounts) => Promise<T>,
  options?: { readonly creates: boolean },
): Promise<T> {
  return withStoreDatabase(async ({ db }) => {
    try {
      return await work(new Accounts(db));
    } catch (error) {
      throw error instanceof AdminRefusal ? new CommandFailed(error.message) : error;
    }
  }, options);
}
