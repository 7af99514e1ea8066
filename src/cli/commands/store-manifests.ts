/** `isccd store add|list|get|rm`: the manifests of a running store. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkedBaseUrl } from '../../client/arguments.js';
import { ServiceError, Throttled } from '../../client/errors.js';
import { StoreClient } from '../../client/store-client.js';
import { BatchProgress } from '../batch/progress.js';
import { type Failure, failureOf, outcomes } from '../batch/run.js';
import type { Source, Unreadable } from '../batch/source.js';
import { sourcesOf } from '../batch/sources.js';
import { CommandFailed, lines } from '../terminal/failure.js';
import { Interruption } from '../terminal/interrupt.js';
import { printJson } from '../terminal/lines.js';
import { writeOutput } from '../terminal/output.js';
import { serviceFailure } from '../terminal/service-failure.js';
import { configuredUrl } from './check-health.js';
import { positive, shortened } from './code.js';

interface Where {
  /** Address of the store; default: that of this machine. */
  readonly at?: string;
  /** An upload token, or that of the operator. */
  readonly token?: string;
}

/** Longest pause that the store's rate of uploads may ask for. */
const PAUSE_MS_MAX = 15 * 60_000;

export interface AddOptions extends Where {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly jobs: string;
  /** `false`: the manifests are not declared to a hub. */
  readonly declare: boolean;
}

/** Stores files; prints one line per file. The same bytes again change nothing, so an interrupted run can be repeated. */
export async function add(args: readonly string[], options: AddOptions): Promise<void> {
  const store = await client(options);
  const jobs = positive(options.jobs);
  const sources: (Source | Unreadable)[] = [];
  for await (const source of sourcesOf(args, options)) sources.push(source);
  const choice = options.declare ? {} : { declare: false };
  const progress = new BatchProgress(sources.length, { printsResults: true });
  const failures: string[] = [];
  // For what is read from other servers and from standard input.
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-store-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const interruption = new Interruption(removeFolder);
  const send = (file: { readonly path: string }) => withinRate(() => store.storeManifest(file.path, choice));
  try {
    for await (const outcome of outcomes(sources, send, { jobs, folder })) {
      const { path: file } = outcome.source;
      if ('result' in outcome) printJson({ path: file, ...outcome.result });
      else {
        const error = refusal(outcome.error);
        printJson({ path: file, error });
        failures.push(`${file}: ${error.detail}`);
      }
      progress.add(0, 'error' in outcome);
    }
  } finally {
    progress.stop();
    await removeFolder();
    await interruption.over();
  }
  if (failures.length > 0) throw new CommandFailed(lines(shortened(failures)));
}

/** Sends again after the pause that the store asks for: what it throttled, it has not read. */
async function withinRate<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const pauseMs = error instanceof Throttled ? error.retryAfterMs : undefined;
      if (pauseMs === undefined || pauseMs > PAUSE_MS_MAX) throw error;
      await sleep(pauseMs);
    }
  }
}

/** Prints one line per manifest: those of the token's publisher, or all with the operator's token. */
export async function list({ after, ...where }: Where & { readonly after?: string }): Promise<void> {
  if (after !== undefined && !/^\d{1,15}$/.test(after))
    throw new CommandFailed('--after must be the key of a manifest, from an earlier line', 2);
  const selection = after === undefined ? {} : { after: Number(after) };
  await reported(where, async (store) => {
    for await (const manifest of store.allManifests(selection)) printJson(manifest);
  });
}

/** Writes the bytes of a manifest to a file or standard output. */
export async function get(
  id: string,
  { output, ...where }: Where & { readonly output?: string },
): Promise<void> {
  await reported(where, async (store) => {
    const { stream } = await store.getManifestById(id);
    await writeOutput(stream, output);
  });
}

/** Deletes manifests and withdraws their declarations; prints one line per id. An id that is refused does not stop the others. */
export async function remove(ids: readonly string[], where: Where): Promise<void> {
  const failures: string[] = [];
  await reported(where, async (store) => {
    for (const manifestId of ids) {
      try {
        await withinRate(() => store.deleteManifest(manifestId));
        printJson({ manifestId, deleted: true });
      } catch (error) {
        if (!(error instanceof ServiceError && OF_ONE_MANIFEST.has(error.status))) throw error;
        printJson({ manifestId, error: refusal(error) });
        failures.push(`${manifestId}: ${error.message}`);
      }
    }
  });
  if (failures.length > 0) throw new CommandFailed(lines(shortened(failures)));
}

/** Not the publisher's, unknown, deleted. */
const OF_ONE_MANIFEST: ReadonlySet<number> = new Set([403, 404, 410]);

async function client({ at, token }: Where): Promise<StoreClient> {
  const url = at === undefined ? await configuredUrl('store') : checkedBaseUrl(at, '--at');
  return new StoreClient(url, token === undefined ? {} : { uploadToken: token });
}

async function reported(where: Where, work: (store: StoreClient) => Promise<void>): Promise<void> {
  try {
    await work(await client(where));
  } catch (error) {
    throw serviceFailure(error, { variable: 'ISCCD_STORE_TOKEN', option: '--token' });
  }
}

/** With the code of the store, such as `claimSignature.mismatch`. */
function refusal(error: unknown): Failure {
  return error instanceof ServiceError ? { code: error.code, detail: error.message } : failureOf(error);
}
