/** `isccd reindex`: brings all indexes of one place to another one, and compares both. */
import { isDeepStrictEqual } from 'node:util';
import type { Entry, SearchApi } from '../../client/search-api.js';
import { type AssetSource, type SourceBatch, serviceSources } from '../input/asset-sources.js';
import { ImportState } from '../input/import-state.js';
import { CommandFailed } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';
import { using } from './index-command.js';
import { missingRows, transfer } from './index-transfer.js';

/** Assets per index that are compared, with the results of a search for each. */
const SAMPLES_MAX = 100;
const NEWLINE = 10;

export interface ReindexOptions {
  readonly from: string;
  readonly fromApiKey?: string;
  readonly to: string;
  readonly toApiKey?: string;
  readonly report: string;
  readonly state: string;
}

/** Continues an interrupted run between the same places. @throws {CommandFailed} if the places differ at the end */
export async function reindex(options: ReindexOptions): Promise<void> {
  const { from, fromApiKey, to, toApiKey, report } = options;
  if (from === to) throw new CommandFailed('--from and --to are the same place');
  const place = (at: string, apiKey: string | undefined) => ({ at, ...(apiKey !== undefined && { apiKey }) });
  await using(place(from, fromApiKey), (source) =>
    using(
      place(to, toApiKey),
      async (target) => {
        const state = await ImportState.open(options.state, from, to);
        const problems: string[] = [];
        for (const sources of await serviceSources(source)) {
          const index = sources.name as string;
          const sampled = new Sampled(sources);
          const done = await transfer(sampled, target, index, { state, report });
          const found = await differences(source, target, index, await sampled.samples(source));
          printJson({ ...done, compared: found.compared, differences: found.problems.length });
          problems.push(...[missingRows(done) ?? [], found.problems].flat());
        }
        // After differences, the next run copies all again.
        await state.remove();
        if (problems.length > 0) throw new CommandFailed(problems.slice(0, SAMPLES_MAX).join('; '));
      },
      { mayBeNew: true },
    ),
  );
}

/** A source that remembers the first asset of each batch. */
class Sampled implements AssetSource {
  readonly #source: AssetSource;
  readonly #lines: Buffer[] = [];

  constructor(source: AssetSource) {
    this.#source = source;
  }

  get name(): string | undefined {
    return this.#source.name;
  }

  async open(position?: string): ReturnType<AssetSource['open']> {
    const opened = await this.#source.open(position);
    return { ...opened, batches: this.#noted(opened.batches) };
  }

  async samples(source: SearchApi): Promise<readonly Entry[]> {
    // If an earlier run has brought all assets.
    if (this.#lines.length === 0)
      this.#note((await source.assetLines(this.name as string, undefined, SAMPLES_MAX)).lines);
    return this.#lines.map((line) => JSON.parse(line.toString()) as Entry);
  }

  async *#noted(batches: AsyncIterable<SourceBatch>): AsyncGenerator<SourceBatch> {
    for await (const batch of batches) {
      this.#note(batch.lines);
      yield batch;
    }
  }

  #note(lines: Uint8Array): void {
    const end = lines.indexOf(NEWLINE);
    if (end < 0) return;
    const line = Buffer.from(lines.subarray(0, end));
    // Later ones replace earlier ones evenly.
    if (this.#lines.length < SAMPLES_MAX) this.#lines.push(line);
    else this.#lines[Math.floor(Math.random() * SAMPLES_MAX)] = line;
  }
}

/** Compares the numbers of assets, the samples, and the results of searches for them. */
async function differences(source: SearchApi, target: SearchApi, index: string, samples: readonly Entry[]) {
  const problems: string[] = [];
  const [from, to] = await Promise.all([source, target].map((place) => place.getIndex(index)));
  if (from?.assets !== to?.assets)
    problems.push(`${index}: ${from?.assets} assets at --from, but ${to?.assets} at --to`);
  for (const { iscc_id: id = '' } of samples) {
    const [asset, other] = await Promise.all(
      [source, target].map((place) => place.getAsset(index, id).catch(() => undefined)),
    );
    if (!isDeepStrictEqual(asset, other)) problems.push(`${index}: ${id} differs`);
    if (asset === undefined || other === undefined) continue;
    const [found, expected] = await Promise.all(
      [target, source].map((place) => place.search(index, { iscc_id: id })),
    );
    if (!isDeepStrictEqual(found, expected))
      problems.push(`${index}: the search for ${id} finds other assets`);
  }
  return { compared: samples.length, problems };
}
