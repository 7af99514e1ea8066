/** `isccd serve [SERVICE…]`: starts services and runs until a signal stops it. */
import { isatty } from 'node:tty';
import { SERVICE_NAMES, SERVICES, type ServiceName } from '../../compose/services.js';
import { startServices, stopAll } from '../../compose/start.js';
import type { RunningServer } from '../../http/server.js';
import { commonVariables } from '../../platform/config/common.js';
import { variableRecords } from '../../platform/config/describe.js';
import { environment } from '../../platform/config/env.js';
import { createLogger } from '../../platform/observe/log.js';
import { onHangUp } from '../hang-up.js';
import { envFileOf } from '../help/variables.js';
import { StartedRecord } from '../started-services.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, EXIT_CONFIGURATION, EXIT_INTERRUPTED } from '../terminal/failure.js';
import { goOnWithoutOutput } from '../terminal/optional-output.js';
import { type Started, startBlock } from '../terminal/start-block.js';
import type { Announce } from './serve-workers.js';

const STDOUT = 1;

export interface ServeOptions {
  readonly env?: boolean;
  readonly dev?: boolean;
  /** `auto` or a number. */
  readonly workers?: string;
  readonly json?: boolean;
}

export async function serve(services: readonly ServiceName[], options: ServeOptions): Promise<void> {
  const names = services.length === 0 ? SERVICE_NAMES : services;
  if (options.env) return printVariables(names, options);
  const { serveWithWorkers, workerCount } = await import('./serve-workers.js');
  const workers = workerCount(options.workers);
  if (options.dev) {
    if (workers > 1) throw new CommandFailed('--dev runs one worker', EXIT_CONFIGURATION);
    const { serveWithReload } = await import('./serve-dev.js');
    return serveWithReload([...names, ...(options.json ? ['--json'] : [])]);
  }
  // What is announced is also in the log; nothing depends on a reader.
  goOnWithoutOutput();
  const announce = announcing(names, options);
  if (workers > 1) {
    await serveWithWorkers(names, workers, announce.started);
    return announce.all();
  }
  const running: RunningServer[] = [];
  const stop = stopOnSignals(running);
  const { reload } = await startServices(names, {
    onStarted(service, server, page) {
      running.push(server);
      announce.started(service, server.url, page);
    },
  });
  announce.all();
  const hasTerminal = isatty(STDOUT);
  // SIGHUP also says that the terminal was closed. Without it, no key could stop the services any more.
  onHangUp(() => void (hasTerminal && !isatty(STDOUT) ? stop() : reload()));
}

interface Announcing {
  /** A service listens. */
  readonly started: Announce;
  /** All of them do. */
  all(): void;
}

/**
 * Prints the addresses and records them for `isccd check health --started`: a line for each service that listens, or on a
 * terminal one block for all of them, after the lines that the log shows meanwhile.
 */
function announcing(names: readonly ServiceName[], { json }: ServeOptions): Announcing {
  const record = new StartedRecord(names, (error) =>
    createLogger('warn').warn({ err: error }, '`isccd check health --started` does not see this process'),
  );
  const isBlock = process.stdout.isTTY === true && !json;
  const block: Started[] = [];
  const started: Announce = (service, url, page) => {
    if (service !== 'metrics') record.add(service, url);
    if (isBlock) {
      block.push({ service, url, page });
      return;
    }
    const what = service === 'metrics' ? 'for Prometheus' : 'documentation';
    const line = json
      ? JSON.stringify({ service, url, page: url + page })
      : `${service.padEnd(9)} ${url}   ${what} ${url}${page}`;
    process.stdout.write(`${line}\n`);
  };
  const all = () => {
    if (isBlock) process.stdout.write(startBlock(block, environment(), painter(process.stdout)));
  };
  return { started, all };
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
function stopOnSignals(running: readonly RunningServer[]): () => Promise<void> {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(EXIT_INTERRUPTED);
    stopping = true;
    const isClean = await stopAll(running).then(
      () => true,
      () => false,
    );
    process.exit(isClean ? 0 : 1);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return stop;
}
