/** Finds the data directories of the configured services or in a given folder. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { readCodesConfig } from '../../platform/config/codes.js';
import { commonVariables } from '../../platform/config/common.js';
import { environment } from '../../platform/config/env.js';
import type { S3Settings } from '../../platform/config/s3.js';
import { searchVariables } from '../../platform/config/search.js';
import { storeVariables } from '../../platform/config/store.js';
import { storeBlobsS3, storeDataDir } from '../../platform/config/store-settings.js';
import { type Environment, readVariables } from '../../platform/config/variable.js';
import { present } from '../../platform/present.js';
import { searchFolder } from '../../services/search/engine/open.js';
import { isOpenSearch } from '../../services/search/opensearch/location.js';
import { isPostgres } from '../../services/search/postgres/location.js';
import { absent } from '../../storage/data/absent.js';
import { DATA_KINDS, type DataKind, FORMAT_FILE, formatOf } from '../../storage/data/format.js';

/** The data of one service. */
export interface DataPlace {
  readonly kind: DataKind;
  readonly folder: string;
  /** `DATABASE_URL` of the store; if undefined, the database is in the folder. */
  readonly databaseUrl?: string;
  /** The bucket of the store's files; if undefined, they are in the folder. */
  readonly blobsS3?: S3Settings;
}

export interface ConfiguredPlaces {
  readonly places: DataPlace[];
  readonly environment: Environment;
  /** Data that no folder contains, one line each for the operator. */
  readonly elsewhere: readonly string[];
  /** Location of the indexes, if they are in PostgreSQL. */
  readonly sharedIndexes: string | undefined;
}

/** The existing data directories of the configured services, and the environment. */
export async function configuredPlaces(): Promise<ConfiguredPlaces> {
  const values = environment();
  const { places, ...others } = placesOf(values);
  const exists = await Promise.all(places.map(({ folder }) => isFolder(folder)));
  return { places: places.filter((_, at) => exists[at]), environment: values, ...others };
}

function placesOf(values: Environment): Omit<ConfiguredPlaces, 'environment'> {
  const { mediaPath, mediaS3 } = readCodesConfig(values);
  const { indexUri } = readVariables(searchVariables, values);
  const store = readVariables(storeVariables, values);
  const blobsS3 = storeBlobsS3(store, values);
  const { databaseUrl } = store;
  const { dataDir } = readVariables(commonVariables, values);
  const search = indexUri === undefined ? path.join(dataDir, 'search') : searchFolder(indexUri);
  const places: DataPlace[] = [
    ...(mediaS3 === undefined ? [{ kind: 'codes', folder: mediaPath } as const] : []),
    ...(search === undefined ? [] : [{ kind: 'search', folder: search } as const]),
    { kind: 'store', folder: storeDataDir(values), ...present({ databaseUrl, blobsS3 }) },
  ];
  const elsewhere = [
    ...(mediaS3 === undefined ? [] : [elsewhereNote('uploads', mediaS3)]),
    ...(indexUri !== undefined && isOpenSearch(indexUri) ? [CLUSTER_NOTE] : []),
  ];
  const sharedIndexes = indexUri !== undefined && isPostgres(indexUri) ? indexUri : undefined;
  return { places, elsewhere, sharedIndexes };
}

export const DATABASE_NOTE = `the indexes are in PostgreSQL (${searchVariables.indexUri.name}), which this command does not read; copy the database with pg_dump\n`;

const CLUSTER_NOTE = `the indexes are in OpenSearch (${searchVariables.indexUri.name}), which this command does not read; take a snapshot of the cluster, or copy the indexes with isccd reindex\n`;

function elsewhereNote(data: string, { variable, bucket }: S3Settings): string {
  return `${data} are in the bucket ${bucket} (${variable}), which this command does not read\n`;
}

/** The folder itself or its subfolders, if their `FORMAT` file makes them data directories. */
export async function placesIn(folder: string): Promise<DataPlace[]> {
  const own = await formatOf(folder);
  if (own !== undefined) return [{ kind: own.kind, folder }];
  const places: DataPlace[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const inner = path.join(folder, name);
    const found = await formatOf(inner);
    if (found !== undefined) places.push({ kind: found.kind, folder: inner });
  }
  return places.sort((a, b) => DATA_KINDS.indexOf(a.kind) - DATA_KINDS.indexOf(b.kind));
}

export const NO_DATA = `no data directory (without a file ${FORMAT_FILE}, which the service creates at start)`;

/** @throws if the system does not tell, for example for lack of permission */
export async function isFolder(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(absent);
  return found?.isDirectory() ?? false;
}
