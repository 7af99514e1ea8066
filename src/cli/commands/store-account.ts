/** `isccd store account ...`: works on the store's database, whether the store runs or not. */
import { type Account, Accounts } from '../../admin/accounts.js';
import { AdminRefusal } from '../../admin/errors.js';
import { environment } from '../../config/env.js';
import { storeVariables } from '../../config/store.js';
import { storeDataDir } from '../../config/store-settings.js';
import { readVariables } from '../../config/variable.js';
import { makeFolder } from '../../data/folder.js';
import { FormatRefused, prepareData } from '../../data/format.js';
import { openDatabase } from '../../database/open.js';
import { CommandFailed, EXIT_CONFIGURATION, reason } from '../terminal/failure.js';
import { newPassword, type PasswordOptions } from '../terminal/password.js';

interface ResultOptions {
  readonly json?: boolean;
}

export async function add(
  name: string,
  options: PasswordOptions & ResultOptions & { canDelete?: boolean },
): Promise<void> {
  const password = await newPassword(options);
  await change(name, options, `account ${name.toLowerCase()} created`, (accounts) =>
    accounts.add(name, password, options.canDelete ?? false),
  );
}

export async function changePassword(name: string, options: PasswordOptions & ResultOptions): Promise<void> {
  const password = await newPassword(options);
  await change(name, options, `password of ${name.toLowerCase()} changed`, (accounts) =>
    accounts.changePassword(name, password),
  );
}

export async function setDisabled(name: string, isDisabled: boolean, options: ResultOptions): Promise<void> {
  const outcome = `account ${name.toLowerCase()} ${isDisabled ? 'disabled' : 'enabled'}`;
  await change(name, options, outcome, (accounts) => accounts.setDisabled(name, isDisabled));
}

/** Changes an account and reports the outcome: as a line on standard error and, with `--json`, as the account. */
async function change(
  name: string,
  { json }: ResultOptions,
  outcome: string,
  work: (accounts: Accounts) => Promise<unknown>,
): Promise<void> {
  const username = name.toLowerCase();
  const changed = await using(async (accounts) => {
    await work(accounts);
    return json ? (await accounts.list()).find((account) => account.username === username) : undefined;
  });
  process.stderr.write(`isccd: ${outcome}\n`);
  if (changed !== undefined) process.stdout.write(`${JSON.stringify(changed)}\n`);
}

export async function list(options: ResultOptions): Promise<void> {
  const accounts = await using((all) => all.list());
  for (const account of accounts) {
    process.stdout.write(`${options.json ? JSON.stringify(account) : line(account)}\n`);
  }
}

function line({ username, canDelete, isDisabled, createdAt, lastLogin }: Account): string {
  const rights = isDisabled ? 'disabled' : canDelete ? 'can delete' : 'can view';
  const login = lastLogin === undefined ? 'never logged in' : `last login ${day(lastLogin)}`;
  return `${username.padEnd(24)} ${rights.padEnd(11)} created ${day(createdAt)}  ${login}`;
}

function day(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

async function using<T>(work: (accounts: Accounts) => Promise<T>): Promise<T> {
  const values = environment();
  const dataDir = storeDataDir(values);
  const { databaseUrl } = readVariables(storeVariables, values);
  makeFolder(dataDir);
  const opening = prepareData('store', dataDir).then(() => openDatabase(databaseUrl, dataDir));
  const database = await opening.catch((error: unknown) => {
    throw error instanceof FormatRefused
      ? new CommandFailed(error.message, EXIT_CONFIGURATION)
      : new CommandFailed(`the database can't be opened: ${reason(error)}`);
  });
  try {
    return await work(new Accounts(database.db));
  } catch (error) {
    throw error instanceof AdminRefusal ? new CommandFailed(error.message) : error;
  } finally {
    await database.close();
  }
}
