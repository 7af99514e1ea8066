/** Main script of a process that reads Manifest Stores of strangers. Argument: the bytes of memory it may have. */
import { isNativeError, type ManifestValidator, native } from '../native.js';
import type { WorkerMessage } from '../platform/workers/worker-process.js';
import type { ManifestJob, ManifestTask, TaskResult } from './manifest-jobs.js';

/** Validators that are kept. A process needs one per service, and another after a reload. */
const VALIDATORS_MAX = 8;

/** By key, the one not used for longest first. */
const validators = new Map<string, ManifestValidator>();

// Blocking the event loop is safe: there is only one job at a time.
native.runInline();
// Exits if the parent process ends. A separate thread watches for it, because this one may be busy.
native.endWithParent();
native.limitMemory(Number(process.argv[2]));
process.on('message', (job: ManifestJob) => void run(job));
send({ kind: 'ready', sandbox: native.sandboxState() });

async function run({ tasks, texts }: ManifestJob): Promise<void> {
  const output: TaskResult[] = [];
  for (const task of tasks) output.push(await resultOf(task, texts).catch(failure));
  send({ kind: 'done', output });
}

async function resultOf(task: ManifestTask, texts: ManifestJob['texts']): Promise<TaskResult> {
  if (task.kind === 'describe') return { kind: 'text', text: await native.describeManifest(task.bytes) };
  if (task.kind === 'label') return { kind: 'text', text: await native.activeManifestId(task.bytes) };
  const validator = validatorOf(task.validator, texts);
  if (validator === undefined) return { kind: 'validator-unknown' };
  if (task.kind === 'details') return { kind: 'text', text: await validator.details(task.bytes) };
  return { kind: 'report', report: await validator.validate(task.bytes, task.fetched) };
}

function validatorOf(key: string, texts: ManifestJob['texts']): ManifestValidator | undefined {
  const given = texts[key];
  const validator =
    validators.get(key) ?? (given && new native.ManifestValidator(given.trustLists, given.options));
  if (validator === undefined) return undefined;
  validators.delete(key);
  validators.set(key, validator);
  if (validators.size > VALIDATORS_MAX) validators.delete(validators.keys().next().value ?? '');
  return validator;
}

function failure(error: unknown): TaskResult {
  if (!isNativeError(error)) throw error;
  return { kind: 'failed', code: error.code, message: error.message };
}

function send(message: WorkerMessage<readonly TaskResult[]>): void {
  process.send?.(message);
}
