/** Starts services in this process, in their order, so that each finds what those before it lend. */

import { CommandFailed, EXIT_CONFIGURATION, readOrFail, reason } from '../cli/terminal/failure.js';
import { type CommonConfig, commonVariables } from '../config/common.js';
import type { Environment } from '../config/variable.js';
import { readVariables } from '../config/variable.js';
import { FormatRefused } from '../data/format.js';
import { METRICS_PATH, metricsApp } from '../http/routing/metrics.js';
import { type RunningServer, startServer } from '../http/server.js';
import { largestBody, loadTransport } from '../http/transport/load-transport.js';
import { createLogger } from '../observe/log.js';
import { Metrics } from '../observe/metrics.js';
import { type ConfiguredService, type House, SERVICES, type ServiceName } from './services.js';

/** `page` is the path that people look at first. */
export type OnStarted = (name: ServiceName | 'metrics', server: RunningServer, page: string) => void;

/**
 * Gives all servers once the last one listens.
 *
 * @param running gets each server as soon as it listens, for whoever has to stop before all do
 * @throws {CommandFailed} if one does not start; those before it are stopped then
 */
export async function startServices(
  names: readonly ServiceName[],
  environment: Environment,
  onStarted: OnStarted = () => {},
  running: RunningServer[] = [],
): Promise<ReadonlyMap<ServiceName, RunningServer>> {
  const { common, configured } = configure(names, environment);
  const house: House = {};
  const servers = new Map<ServiceName, RunningServer>();
  const metrics = await startMetrics(common, onStarted, running);
  for (const [name, service] of configured) {
    const log = createLogger(service.logLevel);
    try {
      const app = await service.app(log, house);
      const transport = loadTransport(common.transport, log, largestBody(app.routes));
      const server = await startServer(app, {
        ...{ host: service.host, port: service.port, transport, log },
        ...(metrics && { metrics, servesMetrics: common.metricsPublic }),
      });
      running.push(server);
      servers.set(name, server);
      onStarted(name, server, app.docs?.page ?? '/');
    } catch (error) {
      await Promise.allSettled(running.map((server) => server.stop()));
      if (error instanceof FormatRefused) {
        throw new CommandFailed(`${name} does not start: ${error.message}`, EXIT_CONFIGURATION);
      }
      throw new CommandFailed(`${name} does not start on ${service.host}:${service.port}: ${reason(error)}`);
    }
  }
  return servers;
}

/** Nothing is counted where nobody can ask for it. */
async function startMetrics(
  { metricsHost: host, metricsPort: port, metricsPublic, transport }: CommonConfig,
  onStarted: OnStarted,
  running: RunningServer[],
): Promise<Metrics | undefined> {
  if (port === undefined) return metricsPublic ? new Metrics() : undefined;
  const metrics = new Metrics();
  // A line for every scrape tells nobody anything.
  const log = createLogger('warn');
  try {
    const options = { host, port, transport: loadTransport(transport, log), log };
    const server = await startServer(metricsApp(metrics), options);
    running.push(server);
    onStarted('metrics', server, METRICS_PATH);
    return metrics;
  } catch (error) {
    throw new CommandFailed(`metrics do not start on ${host}:${port}: ${reason(error)}`);
  }
}

/** Reads every variable before anything starts: a wrong one must not leave half a server behind. */
function configure(names: readonly ServiceName[], environment: Environment) {
  return readOrFail(() => {
    const common = readVariables(commonVariables, environment);
    const configured: [ServiceName, ConfiguredService][] = names.map((name) => [
      name,
      SERVICES[name].configure(environment),
    ]);
    return { common, configured };
  });
}
