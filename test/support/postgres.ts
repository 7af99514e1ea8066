/** A PostgreSQL server for one test file, from Debian's binaries, over a Unix socket. */
import { execFile, spawn } from 'node:child_process';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** Folder of PostgreSQL's programs. */
export const POSTGRES_BIN = process.env.ISCCD_TEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin';
const START_MS_MAX = 30_000;
/** fsync is off: these tests do not cover power loss. */
const SETTINGS = ['fsync=off', 'listen_addresses=', 'max_connections=100', 'shared_buffers=128MB'];

export interface PostgresServer {
  /** A fresh, empty database. */
  createDatabase(): Promise<string>;
  /** Shuts the server down and keeps its data; {@link start} starts it again. */
  halt(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @throws if PostgreSQL's programs are missing */
export async function startPostgres(): Promise<PostgresServer> {
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
  const settings = [...SETTINGS, `unix_socket_directories=${folder}`].flatMap((setting) => ['-c', setting]);
  const url = (database: string) =>
    `postgres://isccd@localhost/${database}?host=${encodeURIComponent(folder)}`;
  const launch = async () => {
    const server = spawn(path.join(POSTGRES_BIN, 'postgres'), ['-D', data, ...settings], {
      ...owner,
      cwd: folder,
      stdio: 'ignore',
    });
    const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    await whenReady(url('postgres'));
    // SIGINT: PostgreSQL's fast shutdown.
    return () => {
      server.kill('SIGINT');
      return ended;
    };
  };
  let halt = await launch();
  let databases = 0;
  return {
    async createDatabase() {
      databases += 1;
      const name = `store_${databases}`;
      await query(url('postgres'), `create database ${name}`);
      return url(name);
    },
    halt: () => halt(),
    async start() {
      halt = await launch();
    },
    async stop() {
      await halt();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The user to run PostgreSQL as, if this process is root: PostgreSQL refuses to run as root. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const [, , uid, gid] =
    users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody') ?? [];
  if (uid === undefined || gid === undefined) throw new Error('no user found to run PostgreSQL as');
  return { uid: Number(uid), gid: Number(gid) };
}

async function whenReady(url: string): Promise<void> {
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

async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
