/** Starts services in this process, in canonical order, so that each can use those that started earlier. */
import { type CommonConfig, commonVariables } from '../config/common.js';
import { environment as processEnvironment } from '../config/env.js';
import { unknownVariables } from '../config/unknown.js';
import {
  ConfigurationInvalid,
  collectProblems,
  type Environment,
  readVariables,
} from '../config/variable.js';
import { FormatRefused } from '../data/format.js';
import { METRICS_PATH, metricsApp } from '../http/routing/metrics.js';
import { type RunningServer, startServer } from '../http/server.js';
import { largestBody, loadTransport } from '../http/transport/load-transport.js';
import { createLogger } from '../observe/log.js';
import { Metrics } from '../observe/metrics.js';
import type { InProcessServices } from '../resolver/app.js';
import { type Address, type AddressVariables, listenProblem } from './listen-problem.js';
import { type ConfiguredService, SERVICE_NAMES, SERVICES, type ServiceName } from './services.js';
import { StartFailed } from './start-failed.js';

/** `page` is the path of the first page to look at: the documentation, or `/metrics`. */
export type OnStarted = (name: ServiceName | 'metrics', server: RunningServer, page: string) => void;

export interface StartOptions {
  /** Default: the process environment over `.env` in the working directory. */
  readonly environment?: Environment;
  /** Called as soon as each server listens, so that the caller can stop it while others still start. */
  readonly onStarted?: OnStarted;
}

export interface RunningServices {
  readonly servers: ReadonlyMap<ServiceName, RunningServer>;
  /** Stops all servers, also the one for metrics. Rejects if one fails to stop. */
  stop(): Promise<void>;
}

/**
 * Starts one or more services, by default all four, and resolves when all of them listen. The order of `names` does
 * not matter.
 *
 * @throws {ConfigurationInvalid} before anything starts
 * @throws {StartFailed}
 */
export async function startServices(
  names: readonly ServiceName[] = SERVICE_NAMES,
  { environment = processEnvironment(), onStarted = () => {} }: StartOptions = {},
): Promise<RunningServices> {
  const { common, configured } = configure(names, environment);
  warnOfUnknown(environment);
  const running: RunningServer[] = [];
  const servers = new Map<ServiceName, RunningServer>();
  const started: OnStarted = (name, server, page) => {
    running.push(server);
    if (name !== 'metrics') servers.set(name, server);
    onStarted(name, server, page);
  };
  try {
    const metrics = await startMetrics(common, started);
    let inProcess: InProcessServices = {};
    for (const [name, service] of configured) {
      inProcess = {
        ...inProcess,
        ...(await startService(name, service, inProcess, common, metrics, started)),
      };
    }
  } catch (error) {
    await Promise.allSettled(running.map((server) => server.stop()));
    throw error;
  }
  return { servers, stop: () => stopAll(running) };
}

/** Reads all variables before any service starts, so that an invalid one never leaves some services running. */
function configure(names: readonly ServiceName[], environment: Environment) {
  const inOrder = SERVICE_NAMES.filter((name) => names.includes(name));
  const configured: [ServiceName, ConfiguredService][] = [];
  const [common] = collectProblems<CommonConfig | undefined>([
    () => readVariables(commonVariables, environment),
    ...inOrder.map((name) => () => {
      configured.push([name, SERVICES[name].configure(environment)]);
      return undefined;
    }),
  ]);
  return { common: common as CommonConfig, configured };
}

/** At `warn`, whatever the log levels of the services are. */
function warnOfUnknown(environment: Environment): void {
  const log = createLogger('warn');
  for (const { message } of unknownVariables(environment)) log.warn(message);
}

/** Returns what the service provides to those that start later. */
async function startService(
  name: ServiceName,
  { host, port, logLevel, build }: ConfiguredService,
  inProcess: InProcessServices,
  common: CommonConfig,
  metrics: Metrics | undefined,
  onStarted: OnStarted,
): Promise<InProcessServices> {
  const log = createLogger(logLevel);
  try {
    const { app, provides = {} } = await build(log, inProcess);
    const transport = loadTransport(common.transport, log, largestBody(app.routes));
    const counted = metrics && { metrics, servesMetrics: common.metricsPublic };
    const options = { host, port, transport, log, ...counted };
    const server = await listening(startServer(app, options), options, SERVICES[name].variables);
    onStarted(name, server, app.docs?.page ?? '/');
    return provides;
  } catch (cause) {
    const isConfiguration = cause instanceof FormatRefused || cause instanceof ConfigurationInvalid;
    const place = isConfiguration ? '' : ` on ${host}:${port}`;
    throw new StartFailed(`${name} does not start${place}: ${messageOf(cause)}`, { isConfiguration, cause });
  }
}

/** Counts requests only if the metrics can be read: on a port of their own, or on the services' addresses. */
async function startMetrics(
  { metricsHost: host, metricsPort: port, metricsPublic, transport }: CommonConfig,
  onStarted: OnStarted,
): Promise<Metrics | undefined> {
  if (port === undefined) return metricsPublic ? new Metrics() : undefined;
  const metrics = new Metrics();
  // Access-log lines of scrapes are noise.
  const log = createLogger('warn');
  try {
    const options = { host, port, transport: loadTransport(transport, log), log };
    const variables = { host: commonVariables.metricsHost, port: commonVariables.metricsPort };
    const server = await listening(startServer(metricsApp(metrics), options), options, variables);
    onStarted('metrics', server, METRICS_PATH);
    return metrics;
  } catch (cause) {
    throw new StartFailed(`metrics do not start on ${host}:${port}: ${messageOf(cause)}`, { cause });
  }
}

/** The server; if it fails to listen, the error names the variable to change. */
async function listening(
  starting: Promise<RunningServer>,
  address: Address,
  variables: AddressVariables,
): Promise<RunningServer> {
  try {
    return await starting;
  } catch (cause) {
    const problem = await listenProblem(address, variables);
    throw problem === undefined ? cause : new Error(problem, { cause });
  }
}

async function stopAll(servers: readonly RunningServer[]): Promise<void> {
  const stopped = await Promise.allSettled(servers.map((server) => server.stop()));
  const failed = stopped.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
