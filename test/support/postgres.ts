/** A PostgreSQL server for one test file, from Debian's binaries, over a Unix socket. */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { debianProgram } from './set-up.js';

const run = promisify(execFile);

/** Folder of PostgreSQL's programs, of which Debian puts only some on the PATH. Its name has the version. */
export const POSTGRES_BIN =
  process.env.ISCCD_TEST_POSTGRES_BIN ??
  path.dirname(debianProgram(['/usr/lib/postgresql/*/bin/initdb'], 'postgresql'));
const START_MS_MAX = 30_000;
/** Tests run without fsync: they do not cover power loss. */
const SETTINGS = ['listen_addresses=', 'max_connections=300', 'shared_buffers=128MB'];
const NO_SYNC = 'fsync=off';

export interface PostgresServer {
  /** A fresh, empty database. */
  createDatabase(): Promise<string>;
  /** Shuts the server down and keeps its data; {@link start} starts it again. */
  halt(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends the server at once, as a crash of the machine would. */
  kill(): Promise<void>;
  /** Stops all processes of the server without ending them (SIGSTOP), so that queries are not answered. */
  freeze(): void;
  /** Continues them. */
  thaw(): void;
  /** Starts a standby of the server; every commit waits for it from then on. */
  addStandby(): Promise<PostgresStandby>;
}

export interface PostgresStandby {
  /** The URL of a database that names both servers. */
  urlOfBoth(url: string): string;
  /** Makes it the primary. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param sync whether commits are synced to disk
 * @throws if PostgreSQL's programs are missing
 */
export async function startPostgres({ sync = false } = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'isccd-pg-'));
  const owner = await serverUser();
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
  const data = path.join(folder, 'data');
  await run(
    path.join(POSTGRES_BIN, 'initdb'),
    ['-D', data, '-U', 'isccd', '-A', 'trust', '-E', 'UTF8', '-N'],
    {
      ...owner,
      cwd: folder,
    },
  );
  const settings = settingsFor(folder, sync);
  const url = (database: string) =>
    `postgres://isccd@localhost/${database}?host=${encodeURIComponent(folder)}`;
  const launch = async (): Promise<End> => {
    const end = launchServer(data, settings, folder, owner);
    await whenReady(url('postgres'));
    return end;
  };
  let end = await launch();
  const serverPid = () => Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const halt = () => end('SIGINT');
  let databases = 0;
  return {
    async createDatabase() {
      databases += 1;
      const name = `store_${databases}`;
      await query(url('postgres'), `create database ${name}`);
      return url(name);
    },
    halt,
    async start() {
      end = await launch();
    },
    kill: () => end('SIGKILL'),
    freeze: () => signalAll(serverPid(), 'SIGSTOP'),
    thaw: () => signalAll(serverPid(), 'SIGCONT'),
    addStandby: () => startStandby(folder, url('postgres'), owner),
    async stop() {
      await halt();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function settingsFor(folder: string, sync: boolean): string[] {
  const all = [...SETTINGS, `unix_socket_directories=${folder}`, ...(sync ? [] : [NO_SYNC])];
  return all.flatMap((setting) => ['-c', setting]);
}

/** Ends a server. SIGINT is PostgreSQL's fast shutdown. */
type End = (signal: NodeJS.Signals) => Promise<void>;

function launchServer(
  data: string,
  settings: readonly string[],
  folder: string,
  owner: User | undefined,
): End {
  const server = spawn(path.join(POSTGRES_BIN, 'postgres'), ['-D', data, ...settings], {
    ...owner,
    cwd: folder,
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  return (signal) => {
    server.kill(signal);
    return ended;
  };
}

/** Signals a server and the processes that it has started. */
function signalAll(server: number, signal: NodeJS.Signals): void {
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').trim().split(' ');
  for (const pid of [server, ...children.map(Number)]) process.kill(pid, signal);
}

async function startStandby(primary: string, url: string, owner: User | undefined): Promise<PostgresStandby> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'isccd-pg-'));
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid);
  const data = path.join(folder, 'data');
  const options = { ...owner, cwd: folder };
  await run(
    path.join(POSTGRES_BIN, 'pg_basebackup'),
    ['-h', primary, '-U', 'isccd', '-D', data, '-R', '-X', 'stream', '-c', 'fast'],
    options,
  );
  const settings = settingsFor(folder, false);
  const end = launchServer(data, settings, folder, owner);
  const own = url.replace(encodeURIComponent(primary), encodeURIComponent(folder));
  await whenReady(own);
  // After the copy, so that the promoted server does not wait for a standby of its own.
  await query(url, "alter system set synchronous_standby_names = '*'");
  await query(url, 'select pg_reload_conf()');
  return {
    urlOfBoth: (database) =>
      database.replace(encodeURIComponent(primary), encodeURIComponent(`${primary},${folder}`)),
    async promote() {
      await run(path.join(POSTGRES_BIN, 'pg_ctl'), ['promote', '-D', data, '-w'], options);
    },
    async stop() {
      await end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** The user to run PostgreSQL as, if this process is root: PostgreSQL refuses to run as root. */
export async function serverUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const [, , uid, gid] =
    users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody') ?? [];
  if (uid === undefined || gid === undefined) throw new Error('no user found to run PostgreSQL as');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Waits until a server, or a pooler in front of it, answers. */
export async function whenReady(url: string): Promise<void> {
  const deadline = Date.now() + START_MS_MAX;
  for (;;) {
    try {
      return await query(url, 'select 1');
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
