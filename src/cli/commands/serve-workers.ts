/** `isccd serve --workers N`: the services in several processes that listen on the same addresses. */
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import os from 'node:os';
import { listenProblem } from '../../compose/listen-problem.js';
import { SERVICES, type ServiceName } from '../../compose/services.js';
import { checkShared } from '../../compose/sharing.js';
import { configure, type OnStarted, serveMetrics } from '../../compose/start.js';
import { StartFailed } from '../../compose/start-failed.js';
import { codesVariables, readCodesConfig } from '../../platform/config/codes.js';
import { type CommonConfig, commonVariables } from '../../platform/config/common.js';
import { environment as processEnvironment } from '../../platform/config/env.js';
import { ConfigurationInvalid, collectProblems, type Environment } from '../../platform/config/variable.js';
import { onHangUp } from '../hang-up.js';
import { CommandFailed, EXIT_CONFIGURATION, EXIT_INTERRUPTED } from '../terminal/failure.js';
import type { Listening } from '../workers/messages.js';
import { WorkerPool } from '../workers/pool.js';

const WORKERS_MAX = 256;

/** @param option `auto` or a number */
export function workerCount(option: string | undefined): number {
  if (option === undefined) return 1;
  if (option === 'auto') return os.availableParallelism();
  const count = Number(option);
  if (/^\d+$/.test(option) && count >= 1 && count <= WORKERS_MAX) return count;
  throw new CommandFailed(
    `--workers must be auto or an integer from 1 to ${WORKERS_MAX}: ${option}`,
    EXIT_CONFIGURATION,
  );
}

/** Prints what a service or the metrics listen on. */
export type Announce = (service: ServiceName | 'metrics', url: string, page: string) => void;

/** Runs until a signal ends it. @throws {ConfigurationInvalid} @throws {StartFailed} @throws {CommandFailed} */
export async function serveWithWorkers(
  names: readonly ServiceName[],
  count: number,
  announce: Announce,
): Promise<void> {
  const environment = processEnvironment();
  const [configured] = collectProblems([
    () => configure(names, environment),
    () => void checkShared(names, environment),
    () => void checkTransport(environment),
  ]);
  if (configured === undefined) return;
  const { common, configured: services } = configured;
  const pool = new WorkerPool(names, count, {
    ...(await ports(services)),
    ...(names.includes('codes') && codesOfWorkers(environment, count)),
    ...(process.platform !== 'linux' && { [commonVariables.transport.name]: 'node' }),
  });
  stopOnSignals(pool);
  // The pool waits for workers that start.
  onHangUp(() => pool.reload());
  const listening: readonly Listening[] = await pool.start();
  await startMetrics(common, pool, (service, { url }, page) => announce(service, url, page));
  for (const { service, url, page } of listening) announce(service, url, page);
}

/** Only Linux spreads connections over processes that listen on their own. */
function checkTransport(environment: Environment): void {
  const { name } = commonVariables.transport;
  if (process.platform !== 'linux' && environment[name] === 'uws')
    throw new ConfigurationInvalid(`${name}=uws and --workers work together on Linux only`);
}

/** All workers together process as many files as one process would. */
function codesOfWorkers(environment: Environment, count: number): Record<string, string> {
  const { maxWorkers } = readCodesConfig(environment);
  return {
    [codesVariables.maxWorkers.name]: String(Math.max(1, Math.floor(maxWorkers / count))),
  };
}

/**
 * Ports that all workers listen on, by variable.
 *
 * @throws {StartFailed} if one is in use: workers that share a port would not notice another program on it
 */
async function ports(services: ReturnType<typeof configure>['configured']): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, { host, port }] of services) {
    const { variables } = SERVICES[name];
    const problem = port === 0 ? undefined : await listenProblem({ host, port }, variables);
    if (problem !== undefined)
      throw new StartFailed(`${name} does not start on ${host}:${port}: ${problem}`, { cause: problem });
    found[variables.port.name] = String(port === 0 ? await freePort(host) : port);
  }
  return found;
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function startMetrics(
  { metricsHost: host, metricsPort: port }: CommonConfig,
  pool: WorkerPool,
  onStarted: OnStarted,
): Promise<void> {
  if (port === undefined) return;
  try {
    await serveMetrics({ host, port }, pool, onStarted);
  } catch (error) {
    await pool.stop();
    throw error;
  }
}

/** The first signal lets running requests finish; the second one ends all processes. */
function stopOnSignals(pool: WorkerPool): void {
  let isStopping = false;
  const stop = async () => {
    if (isStopping) {
      pool.kill();
      process.exit(EXIT_INTERRUPTED);
    }
    isStopping = true;
    process.exit((await pool.stop()) ? 0 : 1);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
