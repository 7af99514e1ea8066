/** `isccd serve [SERVICE…]`: starts services and runs until it is told to stop. */
import { commonVariables } from '../config/common.js';
import { plainTable } from '../config/describe.js';
import { environment } from '../config/env.js';
import { readVariables } from '../config/variable.js';
import { loadTransport } from '../http/load-transport.js';
import { type RunningServer, startServer } from '../http/server.js';
import { createLogger } from '../observe/log.js';
import { CommandFailed, EXIT_CONFIGURATION, readOrFail, reason } from './failure.js';
import { type ConfiguredService, type House, isServiceName, SERVICES, type ServiceName } from './services.js';

const NAMES = Object.keys(SERVICES) as ServiceName[];

export async function serve(services: readonly string[], options: { env?: boolean }): Promise<void> {
  const names = services.length === 0 ? NAMES : services.map(serviceName);
  if (options.env) return printVariables(names);
  const { common, configured } = configure(names);
  const running: RunningServer[] = [];
  const house: House = {};
  stopOnSignals(running);
  for (const [name, service] of configured) {
    const log = createLogger(service.logLevel);
    try {
      const app = await service.app(log, house);
      const transport = loadTransport(common.transport, log);
      const server = await startServer(app, { host: service.host, port: service.port, transport, log });
      running.push(server);
      process.stdout.write(`${name.padEnd(9)} ${server.url}   documentation ${server.url}${app.docs.page}\n`);
    } catch (error) {
      await Promise.allSettled(running.map((server) => server.stop()));
      throw new CommandFailed(`${name} does not start on ${service.host}:${service.port}: ${reason(error)}`);
    }
  }
}

function serviceName(name: string): ServiceName {
  if (isServiceName(name)) return name;
  throw new CommandFailed(`there is no service ${name}; there are: ${NAMES.join(', ')}`, EXIT_CONFIGURATION);
}

/** Reads every variable before anything starts: a wrong one must not leave half a server behind. */
function configure(names: readonly ServiceName[]) {
  return readOrFail(() => {
    const values = environment();
    const common = readVariables(commonVariables, values);
    const configured: [ServiceName, ConfiguredService][] = names.map((name) => [
      name,
      SERVICES[name].configure(values),
    ]);
    return { common, configured };
  });
}

function printVariables(names: readonly ServiceName[]): void {
  const tables = [commonVariables, ...names.map((name) => SERVICES[name].variables)];
  process.stdout.write(`${tables.map((variables) => plainTable(variables)).join('\n\n')}\n`);
}

/** The first signal lets requests in flight finish; a second one does not wait. */
function stopOnSignals(running: readonly RunningServer[]): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(130);
    stopping = true;
    const stopped = await Promise.allSettled(running.map((server) => server.stop()));
    process.exit(stopped.some(({ status }) => status === 'rejected') ? 1 : 0);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
