/** Starts services in this process, in canonical order, so that each can use those that started earlier. */
import { shown } from '../client/arguments.js';
import { InvalidArgument } from '../client/errors.js';
import { BodyBudget } from '../http/request/body-budget.js';
import { METRICS_PATH, metricsApp } from '../http/routing/metrics.js';
import { largestBody } from '../http/routing/route.js';
import { type RunningServer, startServer } from '../http/server.js';
import { loadTransport, provenTransport } from '../http/transport/load-transport.js';
import { type CommonConfig, commonVariables } from '../platform/config/common.js';
import { ignoredLines, environment as processEnvironment } from '../platform/config/env.js';
import { type ProxyConfig, readProxyConfig } from '../platform/config/proxy.js';
import { type TracingConfig, tracingConfig, tracingVariables } from '../platform/config/tracing.js';
import { unknownVariables } from '../platform/config/unknown.js';
import {
  ConfigurationInvalid,
  collectProblems,
  type Environment,
  readVariables,
} from '../platform/config/variable.js';
import { useProxy } from '../platform/egress/proxy.js';
import { createLogger, type Logger, logsToTerminal } from '../platform/observe/log.js';
import { Metrics, type MetricsSource, type Sibling, spansTotal } from '../platform/observe/metrics.js';
import { SpanExporter } from '../platform/observe/spans.js';
import type { InProcessServices } from '../services/resolver/app.js';
import { FormatRefused } from '../storage/data/format.js';
import { StorageUnavailable } from '../storage/data/unavailable.js';
import { ConsoleAddresses } from './console.js';
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
  /** The process is one of several that listen on the same addresses. The port of metrics is left to their parent. */
  readonly sibling?: Sibling;
  /** Receives the metrics of this process, if it counts. */
  readonly onMetrics?: (metrics: Metrics) => void;
}

export interface RunningServices {
  readonly servers: ReadonlyMap<ServiceName, RunningServer>;
  /** Reads the files of the configuration again: trust anchors and algorithms. An invalid file is logged and ignored. */
  reload(): Promise<void>;
  /** Stops all servers, also the one for metrics. Rejects if one fails to stop. */
  stop(): Promise<void>;
}

/**
 * Starts one or more services, by default all four, and resolves when all of them listen. The order of `names` does
 * not matter.
 *
 * @throws {InvalidArgument} if `names` is empty or names another service
 * @throws {ConfigurationInvalid} before anything starts
 * @throws {StartFailed}
 */
export async function startServices(
  names: readonly ServiceName[] = SERVICE_NAMES,
  { environment = processEnvironment(), onStarted = () => {}, sibling, onMetrics }: StartOptions = {},
): Promise<RunningServices> {
  checkNames(names);
  const { common, tracing, proxy, configured } = configure(names, environment);
  useProxy(proxy);
  warnOfUnknown(environment);
  const running: RunningServer[] = [];
  const servers = new Map<ServiceName, RunningServer>();
  const reloads: (() => Promise<void>)[] = [];
  const started: OnStarted = (name, server, page) => {
    running.push(server);
    if (name !== 'metrics') servers.set(name, server);
    onStarted(name, server, page);
  };
  try {
    const exporter = tracing && new SpanExporter(tracing, createLogger('warn'));
    const metrics = await startMetrics(common, started, exporter, sibling);
    if (metrics !== undefined) onMetrics?.(metrics);
    const addresses = new ConsoleAddresses(common.console);
    const bodies = new BodyBudget(common.bodyMemory);
    let inProcess: InProcessServices = {};
    for (const [name, service] of configured) {
      inProcess = {
        ...inProcess,
        ...(await startService(name, service, inProcess, common, {
          metrics,
          exporter,
          addresses,
          bodies,
          started,
          reloads,
          sharesPort: sibling !== undefined,
        })),
      };
    }
  } catch (error) {
    await stopAll(running).catch(() => {});
    throw error;
  }
  const reload = async () => {
    for (const one of reloads) await one();
  };
  return { servers, reload, stop: () => stopAll(running) };
}

/** Programs in JavaScript can pass anything. */
function checkNames(names: readonly ServiceName[]): void {
  const known = `the services are ${SERVICE_NAMES.join(', ')}`;
  if (!Array.isArray(names))
    throw new InvalidArgument(`names: must be an array of services, not ${shown(names)}; ${known}`);
  if (names.length === 0)
    throw new InvalidArgument(`names: must contain a service; ${known}, and without names all of them start`);
  for (const name of names as readonly ServiceName[]) {
    if (!SERVICE_NAMES.includes(name))
      throw new InvalidArgument(`names: ${shown(name)} is not a service; ${known}`);
  }
}

/**
 * Reads all variables before any service starts, so that an invalid one never leaves some services running.
 *
 * @throws {ConfigurationInvalid}
 */
export function configure(names: readonly ServiceName[], environment: Environment) {
  const inOrder = SERVICE_NAMES.filter((name) => names.includes(name));
  const configured: [ServiceName, ConfiguredService][] = [];
  const [common, tracing, proxy] = collectProblems<unknown>([
    () => readVariables(commonVariables, environment),
    () => tracingConfig(readVariables(tracingVariables, environment)),
    () => readProxyConfig(environment),
    ...inOrder.map((name) => () => {
      configured.push([name, withLogLevel(name, SERVICES[name].configure(environment), environment)]);
      return undefined;
    }),
  ]);
  return {
    common: common as CommonConfig,
    tracing: tracing as TracingConfig | undefined,
    proxy: proxy as ProxyConfig,
    configured,
  };
}

/** The default level of codes is `debug`, as that of its reference program. On a terminal, people get `info`. */
function withLogLevel(
  name: ServiceName,
  service: ConfiguredService,
  environment: Environment,
): ConfiguredService {
  const isDefault = !environment[SERVICES[name].variables.logLevel.name]?.trim();
  return isDefault && logsToTerminal() ? { ...service, logLevel: 'info' } : service;
}

/** At `warn`, whatever the log levels of the services are. */
function warnOfUnknown(environment: Environment): void {
  const log = createLogger('warn');
  for (const { message } of unknownVariables(environment)) log.warn(message);
  for (const message of ignoredLines()) log.warn(message);
}

/** Interval of the log lines while a service has not opened its data. */
const START_NOTICE_MS = 10_000;

/** What all services of a start share. */
interface Starting {
  readonly metrics: Metrics | undefined;
  readonly exporter: SpanExporter | undefined;
  readonly addresses: ConsoleAddresses;
  readonly bodies: BodyBudget;
  readonly started: OnStarted;
  readonly reloads: (() => Promise<void>)[];
  readonly sharesPort: boolean;
}

async function reloaded(name: ServiceName, reload: () => Promise<void>, log: Logger): Promise<void> {
  try {
    await reload();
    log.info(`${name}: configuration files read again`);
  } catch (error) {
    log.error({ err: error }, `${name}: the configuration files can't be used; keeping the earlier ones`);
  }
}

/** Logs that a start takes long: a service does not listen before it has opened its data. */
async function announced<T>(name: ServiceName, log: Logger, opening: Promise<T>): Promise<T> {
  const since = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - since) / 1000);
    log.warn(
      { seconds },
      `${name} has not opened its data after ${seconds} s: its database or storage does not respond, waits for a lock, ` +
        'or commits wait for a standby',
    );
  }, START_NOTICE_MS);
  return opening.finally(() => clearInterval(timer));
}

/** Returns what the service provides to those that start later. */
async function startService(
  name: ServiceName,
  { host, port, logLevel, build }: ConfiguredService,
  inProcess: InProcessServices,
  common: CommonConfig,
  { metrics, exporter, addresses, bodies, started, reloads, sharesPort }: Starting,
): Promise<InProcessServices> {
  const log = createLogger(logLevel);
  let close: (() => Promise<void>) | undefined;
  try {
    const { app, provides = {}, reload } = await announced(name, log, build(log, inProcess));
    if (reload !== undefined) reloads.push(() => reloaded(name, reload, log));
    close = app.close;
    const transport = await provenTransport(common.transport, log, largestBody(app.routes));
    const counted = metrics && { metrics, servesMetrics: common.metricsPublic };
    const spans = exporter && { spans: exporter.of(name) };
    const neighbours = addresses.neighboursOf(name);
    const console = neighbours && { neighbours };
    const drainMs = common.drainSeconds * 1000;
    const shared = { host, port, transport, sharesPort, drainMs, log, bodies };
    const options = { ...shared, ...counted, ...spans, ...console };
    const server = await listening(startServer(app, options), options, SERVICES[name].variables);
    addresses.add(name, server);
    started(name, server, app.docs === undefined ? '/' : '/docs');
    return provides;
  } catch (cause) {
    // Open connections and processes would keep this process alive.
    await close?.().catch((error: unknown) => log.error({ err: error }, `${name} can not be closed`));
    const isConfiguration = cause instanceof FormatRefused || cause instanceof ConfigurationInvalid;
    const place = isConfiguration ? '' : ` on ${host}:${port}`;
    throw new StartFailed(`${name} does not start${place}: ${messageOf(cause)}`, { isConfiguration, cause });
  }
}

/** Counts requests only if the metrics can be read: on a port of their own, or on the services' addresses. */
async function startMetrics(
  { metricsHost: host, metricsPort: port, metricsPublic }: CommonConfig,
  onStarted: OnStarted,
  exporter: SpanExporter | undefined,
  sibling: Sibling | undefined,
): Promise<Metrics | undefined> {
  if (port === undefined && !metricsPublic) return undefined;
  const metrics = new Metrics(sibling);
  if (exporter !== undefined) metrics.register([spansTotal(exporter)]);
  if (port === undefined || sibling !== undefined) return metrics;
  await serveMetrics({ host, port }, metrics, onStarted);
  return metrics;
}

/** Serves metrics on a port of their own. @throws {StartFailed} */
export async function serveMetrics(
  { host, port }: Address,
  metrics: MetricsSource,
  onStarted: OnStarted,
): Promise<void> {
  // Access-log lines of scrapes are noise.
  const log = createLogger('warn');
  try {
    // Over node:http with any transport, because old load balancers check the health by HTTP/1.0.
    const options = { host, port, transport: loadTransport('node', log), log };
    const variables = { host: commonVariables.metricsHost, port: commonVariables.metricsPort };
    const server = await listening(startServer(metricsApp(metrics), options), options, variables);
    onStarted('metrics', server, METRICS_PATH);
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

/**
 * Stops servers that started in this order. Rejects if one of them fails to stop.
 *
 * A service may use those that started before it, also for the requests that it still has: all are drained first, and
 * closed in reverse order.
 */
export async function stopAll(servers: readonly RunningServer[]): Promise<void> {
  await Promise.allSettled(servers.map((server) => server.drain()));
  const failures: unknown[] = [];
  for (const server of [...servers].reverse())
    await server.stop().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** With the reason, if storage is unavailable: its own message says only which one. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return error instanceof StorageUnavailable && cause !== undefined
    ? `${message}: ${messageOf(cause)}`
    : message;
}
