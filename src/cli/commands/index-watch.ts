/** `isccd index watch ...`: watches of an index of a service, and their events. */
import { NotFound } from '../../client/errors.js';
import type { NewWatch, WatchEvent } from '../../client/search-api.js';
import { SearchClient } from '../../client/search-client.js';
import type { WatchGap } from '../../client/watch-events.js';
import { present } from '../../platform/present.js';
import { indexArgument, refuseHostAndPort } from '../input/arguments.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, EXIT_CONFIGURATION } from '../terminal/failure.js';
import { eventLine, watchTable } from '../terminal/index-tables.js';
import { printJson } from '../terminal/lines.js';
import { serviceFailure } from '../terminal/service-failure.js';
import { allPages, type Shown, showsTable, type Where } from './index-command.js';
import { queryOf, shareOption } from './index-search.js';

export interface WatchOptions extends Where {
  readonly threshold?: string;
  readonly thresholdSimprints?: string;
  readonly minScore?: string;
  readonly filter?: readonly string[];
  readonly webhook?: string;
}

/** Makes or replaces a watch for a file, an ISCC-CODE, ISCC-UNITs or an asset of the index; prints it. */
export async function add(
  name: string,
  id: string,
  sought: readonly string[],
  options: WatchOptions,
): Promise<void> {
  const index = indexArgument(name);
  const { iscc_id: asset, ...query } = await queryOf(sought);
  const settings: NewWatch = present({
    ...(asset == null ? { query } : { same_as: asset }),
    threshold: shareOption(options.threshold, '--threshold'),
    threshold_simprints: shareOption(options.thresholdSimprints, '--threshold-simprints'),
    min_score: shareOption(options.minScore, '--min-score'),
    filter: options.filter === undefined ? undefined : [...options.filter],
    webhook: options.webhook,
  });
  await using(options, async (service) => printJson(await service.putWatch(index, id, settings)));
}

/** Prints all watches of an index. */
export async function list(name: string, options: Shown): Promise<void> {
  const index = indexArgument(name);
  await using(options, async (service) => {
    const all = await allPages(async (after) => {
      const { watches: items, next } = await service.listWatches(index, after);
      return { items, next };
    });
    if (showsTable(options)) process.stdout.write(watchTable(all, painter(process.stdout)));
    else for (const watch of all) printJson(watch);
  });
}

/** Prints a watch, and how the delivery of its events stands. */
export async function get(name: string, id: string, where: Where): Promise<void> {
  const index = indexArgument(name);
  await using(where, async (service) => printJson(await service.getWatch(index, id)));
}

/** Deletes watches with their events. */
export async function remove(name: string, ids: readonly string[], where: Where): Promise<void> {
  const index = indexArgument(name);
  await using(where, async (service) => {
    // If the index is missing, this says so.
    await service.getIndex(index);
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      try {
        await service.deleteWatch(index, id);
      } catch (error) {
        if (!(error instanceof NotFound)) throw error;
        missing.push(id);
      }
    }
    if (missing.length > 0) throw new CommandFailed(`index ${index} has no watch ${missing.join(', ')}`);
  });
}

/** Prints the events of a watch, those that are kept first, until it is stopped. */
export async function events(
  name: string,
  id: string,
  options: Shown & { readonly after?: string },
): Promise<void> {
  const index = indexArgument(name);
  await using(options, async (service) => {
    for await (const event of service.watchEvents(index, id, options.after)) show(event, options);
  });
}

function show(event: WatchEvent | WatchGap, options: Shown): void {
  if (event.type === 'gap')
    process.stderr.write('isccd: the event in --after is not kept any more; all that are kept follow\n');
  else if (showsTable(options)) process.stdout.write(eventLine(event, painter(process.stdout)));
  else printJson(event);
}

/** Calls a service; its refusals are those of the command. */
export async function using(where: Where, work: (service: SearchClient) => Promise<void>): Promise<void> {
  const { at, apiKey } = where;
  refuseHostAndPort(at);
  if (!/^https?:\/\//i.test(at))
    throw new CommandFailed(
      '--at must be the URL of a service: a folder of indexes has no watches and no flood guard of its own',
      EXIT_CONFIGURATION,
    );
  const service = new SearchClient(at, present({ apiKey }));
  try {
    await work(service);
  } catch (error) {
    throw serviceFailure(error, { variable: 'ISCCD_API_KEY', option: '--api-key' });
  } finally {
    await service.close();
  }
}
