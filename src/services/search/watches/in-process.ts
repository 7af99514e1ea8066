/** The watches of a service for the other services of its process, without HTTP. */
import type { WatchApi } from '../../../c2pa/local-search.js';
import { serviceError } from '../../../client/errors.js';
import type { Watch } from '../../../client/search-api.js';
import { isNativeError } from '../../../native.js';
import { errorForm } from '../errors.js';
import { newWatch } from './settings.js';
import type { Watches } from './watches.js';

/** @param watches throws if the engine has none. Calls wait for `loaded`. */
export function watchApi(watches: () => Watches, loaded: Promise<void>): WatchApi {
  const call = async <T>(work: (watches: Watches) => Promise<T>): Promise<T> => {
    await loaded;
    try {
      return await work(watches());
    } catch (error) {
      if (isNativeError(error, 'INVALID_STATE')) throw error;
      const { status, body } = errorForm.thrown(error, '');
      if (body?.kind === 'text') throw serviceError({ status, body: JSON.parse(body.text) });
      throw serviceError({ status, body: body?.kind === 'json' ? body.value : undefined });
    }
  };
  return {
    putWatch: (index, id, body) =>
      call(async (all) => (await all.put(index, id, newWatch.parse(body))).watch as Watch),
    getWatch: (index, id) => call(async (all) => (await all.get(index, id)) as Watch),
    deleteWatch: (index, id) => call((all) => all.delete(index, id)),
    watchStream: (index, id, after, signal) => call((all) => all.events(index, id, after, signal)),
  };
}
