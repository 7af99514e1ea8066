/** What `isccd serve` prints on a terminal once all services listen: addresses, where the data is, how to stop. */
import path from 'node:path';
import type { ServiceName } from '../../compose/service-names.js';
import { readCodesConfig } from '../../platform/config/codes.js';
import { commonVariables } from '../../platform/config/common.js';
import type { S3Settings } from '../../platform/config/s3.js';
import { searchVariables } from '../../platform/config/search.js';
import { storeVariables } from '../../platform/config/store.js';
import { storeBlobsS3, storeDataDir } from '../../platform/config/store-settings.js';
import { type Environment, readVariables } from '../../platform/config/variable.js';
import { version } from '../../platform/version.js';
import { searchFolder } from '../../services/search/engine/open.js';
import type { Paint } from './colour.js';

export interface Started {
  readonly service: ServiceName | 'metrics';
  readonly url: string;
  /** Path of the first page to look at. */
  readonly page: string;
}

const NAME_WIDTH = 8;

/** @param environment the variables that the services have read */
export function startBlock(started: readonly Started[], environment: Environment, paint: Paint): string {
  const services = started.filter(({ service }) => service !== 'metrics');
  const row = (name: string, value: string) => `  ${name.padEnd(NAME_WIDTH)}  ${value}\n`;
  const addresses = started.map(({ service, url, page }) =>
    row(service, service === 'metrics' ? url + page : url),
  );
  const data = dataOf(
    services.map(({ service }) => service as ServiceName),
    environment,
  ).map((place, at) => row(at === 0 ? 'data' : '', place));
  return [
    `${paint('bold', `isccd ${version} is running. Ctrl-C stops it.`)}\n`,
    ...addresses,
    ...data,
    ...(services.some(({ page }) => page === '/docs') ? [row('API', '/docs at each address')] : []),
  ].join('');
}

/** One line if all data is in one folder. */
function dataOf(names: readonly ServiceName[], environment: Environment): string[] {
  const { dataDir } = readVariables(commonVariables, environment);
  const places = names.flatMap((name) => PLACES[name](environment, dataDir));
  const isInside = (place: string) => place.startsWith(dataDir + path.sep);
  const others = places.filter((place) => !isInside(place));
  return places.some(isInside) ? [dataDir, ...others] : others;
}

type Places = (environment: Environment, dataDir: string) => readonly string[];

/** Folders as absolute paths. Addresses of databases are not shown, because they may contain passwords. */
const PLACES: Readonly<Record<ServiceName, Places>> = {
  codes: (environment) => {
    const { mediaPath, mediaS3 } = readCodesConfig(environment);
    return [mediaS3 === undefined ? mediaPath : bucketText('uploads', mediaS3)];
  },
  search: (environment, dataDir) => {
    const { indexUri } = readVariables(searchVariables, environment);
    if (indexUri === undefined) return [path.join(dataDir, 'search')];
    const folder = searchFolder(indexUri);
    if (folder !== undefined) return [folder];
    if (indexUri.startsWith('memory:')) return ['indexes in memory, lost at the end'];
    return [`indexes at ${searchVariables.indexUri.name}`];
  },
  store: (environment) => {
    const store = readVariables(storeVariables, environment);
    const bucket = storeBlobsS3(store, environment);
    return [
      storeDataDir(environment),
      ...(store.databaseUrl === undefined ? [] : [`manifests at ${storeVariables.databaseUrl.name}`]),
      ...(bucket === undefined ? [] : [bucketText('files of manifests', bucket)]),
    ];
  },
  resolver: () => [],
};

function bucketText(what: string, { bucket, variable }: S3Settings): string {
  return `${what} in the bucket ${bucket} (${variable})`;
}
