/** Starts everything in `compose.cluster.yaml` on this machine, and ends and restarts parts of it. */
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Agent, request } from 'undici';
import type { ServiceName } from '../../../src/compose/service-names.js';
import { ROOT, readImage } from '../../deploy/support/dockerfile.js';
import { POSTGRES_BIN, serverUser } from '../../support/postgres.js';
import { SEAWEED_PACKAGE } from '../../support/seaweed.js';
import { MAIN } from '../../support/serve.js';
import { debianProgram, pythonWith } from '../../support/set-up.js';
import { compose, INSTANCES, serviceOf, Translation } from './compose.js';
import { type Command, Program } from './programs.js';

const WAIT_MS_MAX = 90_000;
const POLL_MS = 100;
const SHOWN_CHARS = 1500;
const PORTS: Readonly<Record<ServiceName, number>> = {
  codes: 8000,
  search: 8010,
  store: 8020,
  resolver: 8030,
};
const SEAWEED_PORTS = { 'seaweed-master': 9333, 'seaweed-s3': 8333 } as const;
export const VOLUMES = ['seaweed-volume-1', 'seaweed-volume-2', 'seaweed-volume-3'] as const;
export const POSTGRES = ['postgres-1', 'postgres-2'] as const;
const PROXY_PORT = 8080;

export interface ClusterOptions {
  /** Of `.env`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Of `codes.env`, `search.env`, `store.env` and `resolver.env`. */
  readonly files: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
}

export class Cluster {
  readonly domain: string;
  readonly #folder: string;
  readonly #files: ClusterOptions['files'];
  readonly #password: string;
  readonly #translation: Translation;
  readonly #programs = new Map<string, Program>();

  private constructor(folder: string, { variables, files }: ClusterOptions) {
    this.#folder = folder;
    this.#files = files;
    this.#password = variables.POSTGRES_PASSWORD ?? '';
    this.domain = variables.ISCCD_DOMAIN ?? '';
    this.#translation = new Translation(variables, folder);
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-cluster-'));
    // The database runs as another user.
    await chmod(folder, 0o755);
    const cluster = new Cluster(folder, options);
    try {
      await cluster.#create();
      await cluster.#startAll();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  program(name: string): Program {
    const program = this.#programs.get(name);
    if (program === undefined) throw new Error(`there is no program ${name}`);
    return program;
  }

  /** Waits until a condition holds; an error counts as false. */
  async until(what: string, holds: () => Promise<boolean>, msMax = WAIT_MS_MAX): Promise<void> {
    const end = performance.now() + msMax;
    let problem: unknown;
    while (performance.now() < end) {
      try {
        if (await holds()) return;
      } catch (error) {
        problem = error;
      }
      await pause(POLL_MS);
    }
    const outputs = [...this.#programs.values()].map(
      ({ name, output, exitCode }) => `--- ${name} (${exitCode})\n${output.slice(-SHOWN_CHARS)}`,
    );
    throw new Error(`${what}: not in time\n${outputs.join('\n')}`, { cause: problem });
  }

  /** Starts programs and waits until they are ready. */
  async launch(...names: readonly string[]): Promise<void> {
    for (const name of names) this.program(name).start();
    await Promise.all(names.map((name) => this.until(`${name} is ready`, () => this.#isReady(name))));
  }

  /** The database server that can be written. */
  async primary(): Promise<(typeof POSTGRES)[number]> {
    for (const name of POSTGRES) {
      const [row] = await this.query(name, 'select pg_is_in_recovery() as standby').catch(() => []);
      if (row?.standby === false) return name;
    }
    throw new Error('no database server can be written');
  }

  async query(name: string, statement: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({
      host: this.#translation.address(name),
      user: 'isccd',
      password: this.#password,
      database: 'postgres',
      connectionTimeoutMillis: 3000,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(statement)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  /** Waits until every commit waits for the standby. */
  untilSynchronous(): Promise<void> {
    return this.until('the standby is synchronous', async () => {
      const [row] = await this.query(
        await this.primary(),
        "select count(*)::int as count from pg_stat_replication where sync_state = 'sync'",
      );
      return row?.count === 1;
    });
  }

  /** Base URL of a service behind the proxy. */
  urlOf(service: ServiceName): string {
    return `http://${service}.${this.domain}:${PROXY_PORT}`;
  }

  /** Connections to the proxy from an address of this machine, as those of one client. */
  client(from: string): Agent {
    return this.#agent(this.#translation.address('proxy'), { localAddress: from });
  }

  /** Base URL of an instance without the proxy. */
  directUrlOf(service: ServiceName): string {
    return `http://${service}.${this.domain}:${PORTS[service]}`;
  }

  /** Connections to one instance, as the proxy makes them. */
  direct(instance: string): Agent {
    return this.#agent(this.#translation.address(instance), {});
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#programs.values()].map((program) => program.kill()));
    await rm(this.#folder, { recursive: true, force: true });
  }

  #agent(address: string, options: { localAddress?: string }): Agent {
    return new Agent({
      ...options,
      connect: {
        lookup: (_, { all }, found) =>
          all === true ? found(null, [{ address, family: 4 }]) : found(null, address, 4),
      },
      keepAliveTimeout: 4000,
      pipelining: 1,
    });
  }

  async #create(): Promise<void> {
    const weed = path.join(path.dirname(await pythonWith(SEAWEED_PACKAGE)), 'weed');
    const nginx = debianProgram(['nginx', '/usr/sbin/nginx'], 'nginx-light');
    const redis = debianProgram(['redis-server', 'valkey-server'], 'redis-server');
    const owner = await serverUser();
    for (const [name, { image, profiles }] of Object.entries(compose.services)) {
      if (profiles !== undefined) continue;
      const folder = path.join(this.#folder, name);
      await mkdir(this.#translation.dataOf(name), { recursive: true });
      const { args, environment } = this.#translation.command(name);
      const [first = '', ...rest] = args;
      const env = { PATH: process.env.PATH, HOME: folder, ...environment };
      const command = async (): Promise<Command> => {
        if (serviceOf(name) !== undefined) return this.#instance(name);
        if (image.startsWith('nginx'))
          return { program: nginx, args: await this.#nginx(folder), env, cwd: folder };
        if (image.startsWith('redis')) return { program: redis, args: rest, env, cwd: folder };
        if (image.startsWith('postgres')) {
          for (const one of [folder, this.#translation.dataOf(name)]) {
            if (owner !== undefined) await chown(one, owner.uid, owner.gid);
            await chmod(one, 0o700);
          }
          const programs = [import.meta.dirname, POSTGRES_BIN, process.env.PATH].join(':');
          const server = { ...env, PATH: programs, SOCKETS: folder };
          return { program: first, args: rest, env: server, cwd: folder, ...owner };
        }
        if (first !== 'weed')
          return {
            program: first,
            args: rest,
            env: { ...env, PATH: `${path.dirname(weed)}:${process.env.PATH}` },
            cwd: folder,
          };
        // Their defaults are in /tmp.
        const sockets =
          name === 'seaweed-s3'
            ? [`-localSocket=${folder}/filer.sock`, `-s3.localSocket=${folder}/s3.sock`]
            : [];
        return { program: weed, args: [...rest, ...sockets], env, cwd: folder };
      };
      this.#programs.set(name, new Program(name, await command()));
    }
  }

  #instance(name: string): Command {
    const { args, environment } = this.#translation.command(name);
    const image = Object.entries(readImage().environment).map(([variable, value]) => [
      variable,
      this.#translation.local(value, name),
    ]);
    const service = serviceOf(name) as ServiceName;
    const env = {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      AWS_EC2_METADATA_DISABLED: 'true',
      ...this.#files[service],
      ...Object.fromEntries(image),
      ...environment,
    };
    return { program: process.execPath, args: [MAIN, ...args], env, cwd: '/' };
  }

  /** The mounted template as the nginx image uses it: with variables replaced, inside the `http` block. */
  async #nginx(folder: string): Promise<string[]> {
    const template = await readFile(path.join(ROOT, 'ops/cluster/nginx/isccd.conf.template'), 'utf8');
    const listen = `listen ${this.#translation.address('proxy')}:`;
    const servers = this.#translation.local(template, 'proxy').replaceAll(/listen (?=\d+)/g, listen);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const text = `daemon off;\nmaster_process off;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n${servers}\n}\n`;
    const file = path.join(folder, 'nginx.conf');
    await writeFile(file, text);
    return ['-c', file, '-p', folder, '-e', 'stderr'];
  }

  async #startAll(): Promise<void> {
    for (const name of POSTGRES) this.program(name).start();
    await this.launch('redis', 'seaweed-master');
    await this.launch(...VOLUMES);
    await this.launch('seaweed-s3');
    const bucket = this.program('bucket');
    await this.until('the bucket is created', async () => {
      if (bucket.isRunning) return false;
      if (bucket.exitCode === 0) return true;
      bucket.start();
      return false;
    });
    await this.untilSynchronous();
    // nginx starts last: it exits if a name is unknown, but addresses need not respond.
    await Promise.all([this.launch(...INSTANCES), this.launch('proxy')]);
  }

  async #isReady(name: string): Promise<boolean> {
    const address = this.#translation.address(name);
    const service = serviceOf(name);
    if (service !== undefined) {
      const page = service === 'resolver' ? 'healthz' : 'readyz';
      const url = `http://${address}:${PORTS[service]}/${page}`;
      const { statusCode, body } = await request(url, { headers: { host: 'localhost' } });
      await body.dump();
      return statusCode === 200;
    }
    if (name === 'redis') return connects(address, 6379);
    if (name === 'proxy') return connects(address, PROXY_PORT);
    if (name in SEAWEED_PORTS) return connects(address, SEAWEED_PORTS[name as keyof typeof SEAWEED_PORTS]);
    if (name.startsWith('seaweed-volume')) return connects(address, 8080);
    return (await this.query(name, 'select 1')).length === 1;
  }
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
