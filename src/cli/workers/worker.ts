/**
 * A worker of `isccd serve --workers`: a process with all services, on addresses that it shares with the others. Arguments:
 * its number, and the services.
 */
import { SERVICE_NAMES } from '../../compose/service-names.js';
import { createLogger } from '../../platform/observe/log.js';
import type { Exposition, Metrics, MetricValues } from '../../platform/observe/metrics.js';
import { setWorker } from '../../platform/observe/worker.js';
import { catchHangUps, onHangUp } from '../hang-up.js';
import { asFailure } from '../terminal/failure.js';
import { type FromWorker, type Listening, Replies, type ToWorker } from './messages.js';

/** Longer than the primary process waits for a worker. */
const GATHER_MS_MAX = 5_000;
const NO_METRICS: Exposition = { text: '', contentType: 'text/plain; version=0.0.4; charset=utf-8' };

const expositions = new Replies<Exposition>();
let metrics: Metrics | undefined;

await run();

async function run(): Promise<void> {
  catchHangUps();
  const [number, ...names] = process.argv.slice(2);
  const worker = Number(number);
  setWorker(worker);
  const services: Listening[] = [];
  let stop = async () => {};
  const onStop = once(() => stop().then(exitWith(0), exitWith(1)));
  // A terminal and a supervisor signal every process of the program, and the primary process does, too.
  process.on('SIGTERM', onStop);
  process.on('SIGINT', onStop);
  process.on('message', (message: ToWorker) => void receive(message));
  try {
    // It loads all services, which takes time. Signals are handled before.
    const { startServices } = await import('../../compose/start.js');
    const running = await startServices(
      SERVICE_NAMES.filter((name) => names.includes(name)),
      {
        sibling: { worker, gather },
        onMetrics: (own) => {
          metrics = own;
        },
        onStarted: (service, { url }, page) => {
          if (service !== 'metrics') services.push({ service, url, page });
        },
      },
    );
    stop = running.stop;
    onHangUp(() => void running.reload());
    send({ type: 'started', services });
  } catch (error) {
    const failure = asFailure(error);
    const status = failure?.exitCode ?? 1;
    const message = failure?.message ?? String(error instanceof Error ? error.stack : error);
    process.send?.({ type: 'failed', message, status } satisfies FromWorker, () => process.exit(status));
  }
}

async function receive(message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'read-metrics':
      send({ type: 'metrics', id: message.id, values: await ownValues() });
      return;
    case 'gathered':
      expositions.settle(message.id, message.exposition);
      return;
    default:
      message satisfies never;
  }
}

/** Metrics that can't be read must not end the process. */
async function ownValues(): Promise<MetricValues> {
  try {
    return (await metrics?.values()) ?? [];
  } catch (error) {
    createLogger('error').error({ err: error }, 'the metrics can not be read');
    return [];
  }
}

/** The metrics of all workers. */
function gather(): Promise<Exposition> {
  return expositions.ask((id) => send({ type: 'gather', id }), GATHER_MS_MAX, NO_METRICS);
}

function send(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}

function exitWith(status: number): () => never {
  return () => process.exit(status);
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
