/** `isccd serve [SERVICE…]`: starts services and runs until a signal stops it. */
import { SERVICE_NAMES, SERVICES, type ServiceName } from '../../compose/services.js';
import { startServices } from '../../compose/start.js';
import { commonVariables } from '../../config/common.js';
import { variableRecords } from '../../config/describe.js';
import type { RunningServer } from '../../http/server.js';
import { envFileOf } from '../help/variables.js';
import { EXIT_INTERRUPTED } from '../terminal/failure.js';

export interface ServeOptions {
  readonly env?: boolean;
  readonly dev?: boolean;
  readonly json?: boolean;
}

export async function serve(services: readonly ServiceName[], options: ServeOptions): Promise<void> {
  const names = services.length === 0 ? SERVICE_NAMES : services;
  if (options.env) return printVariables(names, options);
  if (options.dev) {
    const { serveWithReload } = await import('./serve-dev.js');
    return serveWithReload([...names, ...(options.json ? ['--json'] : [])]);
  }
  const running: RunningServer[] = [];
  stopOnSignals(running);
  const { reload } = await startServices(names, {
    onStarted(service, server, page) {
      running.push(server);
      const { url } = server;
      const what = service === 'metrics' ? 'for Prometheus' : 'documentation';
      const line = options.json
        ? JSON.stringify({ service, url, page: url + page })
        : `${service.padEnd(9)} ${url}   ${what} ${url}${page}`;
      process.stdout.write(`${line}\n`);
    },
  });
  process.on('SIGHUP', () => void reload());
}

function printVariables(names: readonly ServiceName[], { json }: ServeOptions): void {
  if (!json) {
    process.stdout.write(envFileOf(names));
    return;
  }
  const sets = [commonVariables, ...names.map((name) => SERVICES[name].variables)];
  for (const record of sets.flatMap(variableRecords)) process.stdout.write(`${JSON.stringify(record)}\n`);
}

/** The first signal lets running requests finish; the second one exits at once. */
function stopOnSignals(running: readonly RunningServer[]): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(EXIT_INTERRUPTED);
    stopping = true;
    const stopped = await Promise.allSettled(running.map((server) => server.stop()));
    process.exit(stopped.some(({ status }) => status === 'rejected') ? 1 : 0);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
