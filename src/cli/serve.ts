/** `isccd serve [SERVICE…]`: starts services and runs until it is told to stop. */
import { commonVariables } from '../config/common.js';
import { plainTable } from '../config/describe.js';
import { environment } from '../config/env.js';
import type { RunningServer } from '../http/server.js';
import { CommandFailed, EXIT_CONFIGURATION, readOrFail } from './failure.js';
import { isServiceName, SERVICES, type ServiceName } from './services.js';
import { startServices } from './start.js';

const NAMES = Object.keys(SERVICES) as ServiceName[];

export async function serve(services: readonly string[], options: { env?: boolean }): Promise<void> {
  const names = services.length === 0 ? NAMES : services.map(serviceName);
  if (options.env) return printVariables(names);
  const running: RunningServer[] = [];
  stopOnSignals(running);
  const values = readOrFail(() => environment());
  await startServices(
    names,
    values,
    (name, { url }, docsPage) => {
      process.stdout.write(`${name.padEnd(9)} ${url}   documentation ${url}${docsPage}\n`);
    },
    running,
  );
}

function serviceName(name: string): ServiceName {
  if (isServiceName(name)) return name;
  throw new CommandFailed(`there is no service ${name}; there are: ${NAMES.join(', ')}`, EXIT_CONFIGURATION);
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
