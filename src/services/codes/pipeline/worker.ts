/** Main script of a worker process. Processes one job after the other. Argument: the bytes of memory it may have. */
import { native } from '../../../native.js';
import { failureReason } from '../../../platform/failure-reason.js';
import type { WorkerMessage } from '../../../platform/workers/worker-process.js';
import { CodesRefusal } from '../errors.js';
import { readFileRights } from '../rights/file-rights.js';
import { fileErrorCode } from '../tools/file-error.js';
import { contentOf, metadataOf } from './content.js';
import { embedInto } from './embedding.js';
import type { ContentJob, Job, JobRefusal, Output, SimprintJob } from './jobs.js';
import { type StepChange, Stopwatch } from './stopwatch.js';

// Blocking the event loop is safe: there is only one job at a time.
native.runInline();
// Exits if the parent process ends. A separate thread watches for it, because this one may be busy.
native.endWithParent();
native.limitMemory(Number(process.argv[2]));
process.on('message', (job: Job) => void run(job));
send({ kind: 'ready', sandbox: native.sandboxState() });

async function run(job: Job): Promise<void> {
  try {
    send({ kind: 'done', output: await output(job) });
  } catch (error) {
    send(failure(error));
  }
}

async function output(job: Job): Promise<Output> {
  switch (job.kind) {
    case 'content':
      return content(job);
    case 'extract':
      return { kind: 'extract', metadata: await metadataOf(job) };
    case 'embed':
      return { kind: 'embed', missing: await embedInto(job) };
    case 'simprint':
      return { kind: 'simprint', simprints: await semanticSimprints(job) };
    default:
      return job satisfies never;
  }
}

async function content(job: ContentJob): Promise<Output> {
  const start = performance.now();
  const watch = new Stopwatch(job.watched ? { onChange: (step) => send({ kind: 'step', step }) } : {});
  const content = await contentOf(job, watch);
  const embedded = await embeddedManifest(job);
  const rights = job.readsRights ? { rights: await readFileRights(job.path, job.mediatype) } : {};
  return {
    kind: 'content',
    content,
    steps: watch.steps,
    ms: performance.now() - start,
    ...embedded,
    ...rights,
  };
}

async function embeddedManifest({ manifest: use, path, mediatype }: ContentJob) {
  if (use === 'ignore') return {};
  const manifest = await native.embeddedManifest(path, mediatype);
  if (manifest === null) return {};
  const credentials = use === 'describe' ? await native.describeAsset(path, mediatype) : null;
  return { manifest, ...(credentials !== null && { credentials }) };
}

async function semanticSimprints({ semantic, text }: SimprintJob): Promise<readonly string[]> {
  const { semanticText } = await import('./semantic/text.js');
  return (await semanticText(semantic, text)).features.simprints;
}

/** `message` is for the log, `refusal` for the client. */
function failure(error: unknown): WorkerMessage<Output, StepChange> {
  if (error instanceof CodesRefusal) {
    const { code, details, cause } = error;
    return {
      kind: 'failed',
      message: messageOf(cause ?? error),
      refusal: { code, details } satisfies JobRefusal,
    };
  }
  const code = fileErrorCode(error);
  return { kind: 'failed', message: messageOf(error), ...(code && { refusal: { code, details: {} } }) };
}

function messageOf(error: unknown): string {
  return failureReason(error);
}

function send(message: WorkerMessage<Output, StepChange>): void {
  process.send?.(message);
}
