/** Runs a service: one app on one address over one transport. */
import { setTimeout as sleep } from 'node:timers/promises';
import { lazily } from '../platform/lazily.js';
import { type Logger, logsToTerminal } from '../platform/observe/log.js';
import type { Metrics } from '../platform/observe/metrics.js';
import type { SpanRecorder } from '../platform/observe/spans.js';
import { endsWithin } from '../platform/time-limit.js';
import { accessLog } from './access-log.js';
import { Dispatcher, type Outcome } from './dispatcher.js';
import { docsRoutes } from './docs/docs.js';
import { unparsableResponse } from './reply/unparsable.js';
import { BodyBudget } from './request/body-budget.js';
import { healthRoutes, readinessOf } from './routing/health.js';
import { countRequests, metricsRoute, recordRequests } from './routing/metrics.js';
import type { Neighbours } from './routing/neighbours.js';
import type { Route } from './routing/route.js';
import type { ServiceApp } from './routing/service.js';
import type { Listener, Transport } from './transport/transport.js';

export interface ServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly transport: Transport;
  /** Whether other processes of the same program listen on the address, too. Default: false. */
  readonly sharesPort?: boolean;
  /** For how long idle connections are kept when it stops; a request on one is still served. Default: 0. */
  readonly drainMs?: number;
  readonly log: Logger;
  /** Counts requests and exposes the service's own metrics. */
  readonly metrics?: Metrics;
  /** Whether this server also serves `/metrics`. */
  readonly servesMetrics?: boolean;
  /** Memory for request bodies that are kept whole. Default: that of all servers of this process. */
  readonly bodies?: BodyBudget;
  /** The other services of the console. */
  readonly neighbours?: Neighbours;
  /** Exports requests as spans. */
  readonly spans?: SpanRecorder;
  /** Called after every request. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

export interface RunningServer {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly transport: Transport['name'];
  /** Stops accepting connections, waits `drainMs`, then up to 10 s for requests in flight. */
  drain(): Promise<void>;
  /** Drains, then closes the app. Rejects if that takes more than 15 s. */
  stop(): Promise<void>;
}

const REQUESTS_MS_MAX = 10_000;
/** A database or a disk that hangs must not keep the process until its supervisor kills it. */
const CLOSE_MS_MAX = 15_000;
const sharedBodies = lazily(() => new BodyBudget());
/** Turns of the event loop after which all connections that were established before are accepted. */
const ACCEPT_TURNS = 2;

/** @throws if it cannot listen on the address */
export async function startServer(app: ServiceApp, options: ServerOptions): Promise<RunningServer> {
  const { host, port, transport, log, metrics, spans } = options;
  metrics?.register(app.metrics ?? []);
  metrics?.dataFolders(app.name, app.dataFolders ?? []);
  const readiness = app.readiness?.bind(app);
  if (readiness !== undefined)
    metrics?.readiness(app.name, async () => readinessOf(await readiness()).reason);
  const routes = allRoutes(app, options.servesMetrics ? metrics : undefined);
  const logOutcome = accessLog(log);
  const countOutcome = metrics && countRequests(metrics, app.name);
  const recordSpan = spans && recordRequests(spans);
  const dispatcher = new Dispatcher({
    app,
    routes,
    fallbackHost: authority(host, port),
    neighbours: options.neighbours,
    log,
    transportBytesMax: transport.bodyBytesMax,
    bodies: options.bodies ?? sharedBodies(),
    spans,
    onOutcome: (outcome) => {
      logOutcome(outcome);
      countOutcome?.(outcome);
      recordSpan?.(outcome);
      options.onOutcome?.(outcome);
    },
  });
  const listener = await transport.listen(
    host,
    port,
    (exchange) => dispatcher.handle(exchange),
    (problem) => unparsableResponse(app, problem),
    options.sharesPort ?? false,
  );
  const running = {
    url: `http://${authority(host, listener.port)}`,
    host,
    port: listener.port,
    transport: transport.name,
  };
  // On a terminal, `isccd serve` prints the addresses.
  const said = { service: app.name, ...running, ...(transport.reason && { reason: transport.reason }) };
  log[logsToTerminal() ? 'debug' : 'info'](said, 'listening');
  const { drainMs = 0 } = options;
  return { ...running, ...stopping({ app, listener, dispatcher, drainMs, log, spans }) };
}

/** The service's routes, plus the HTTP layer's own unless the service has one with the same method and path. */
function allRoutes(app: ServiceApp, metrics: Metrics | undefined): Route[] {
  const taken = new Set(app.routes.map(({ method, path }) => `${method} ${path}`));
  const isFree = ({ method, path }: Route) => !taken.has(`${method} ${path}`);
  const own = [...healthRoutes(app), ...(metrics ? [metricsRoute(metrics)] : [])];
  const documented = [...app.routes, ...own.filter(isFree)];
  return [...documented, ...docsRoutes(app, documented).filter(isFree)];
}

function authority(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

interface Stopping {
  readonly app: ServiceApp;
  readonly listener: Listener;
  readonly dispatcher: Dispatcher;
  readonly drainMs: number;
  readonly log: Logger;
  readonly spans: SpanRecorder | undefined;
}

/** Each step runs once. */
function stopping(parts: Stopping): Pick<RunningServer, 'drain' | 'stop'> {
  let draining: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  const drained = () => {
    draining ??= drain(parts);
    return draining;
  };
  return {
    drain: drained,
    stop: () => {
      stopped ??= drained().then(() => closeInTime(parts));
      return stopped;
    },
  };
}

async function drain({ app, listener, dispatcher, drainMs, log }: Stopping): Promise<void> {
  dispatcher.startDraining();
  app.endStreams?.();
  // The system resets connections that it has established but this process has not accepted: accept them first.
  for (let turns = 0; turns < ACCEPT_TURNS; turns += 1) await new Promise(setImmediate);
  listener.stopListening();
  // A reverse proxy may send a request on an idle connection that is being closed, and can't repeat it.
  if (drainMs > 0) await sleep(drainMs);
  if (!(await endsWithin(REQUESTS_MS_MAX, dispatcher.drain())))
    log.warn({ service: app.name }, 'aborting requests that were still in flight after 10 s');
}

async function closeInTime(parts: Stopping): Promise<void> {
  const { app, log } = parts;
  if (!(await endsWithin(CLOSE_MS_MAX, close(parts)))) {
    const reason = `${app.name} is not closed after 15 s, because its disk or a database does not respond`;
    log.error({ service: app.name }, reason);
    throw new Error(reason);
  }
  log.info({ service: app.name }, 'stopped');
}

async function close({ app, listener, spans }: Stopping): Promise<void> {
  await listener.close();
  await app.close?.();
  await app.errorReports?.close();
  await spans?.flush();
}
