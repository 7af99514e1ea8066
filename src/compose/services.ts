/** The services of this program: the variables of each, and how to build its app from them. */
import { NETWORK_FACTS } from '../network/networks.js';
import { type CodesConfig, codesVariables, readCodesConfig } from '../platform/config/codes.js';
import { type CommonConfig, commonVariables } from '../platform/config/common.js';
import { type NetworkConfig, networkVariables, readNetworkConfig } from '../platform/config/network.js';
import { indexNames, readResolverConfig, resolverVariables } from '../platform/config/resolver.js';
import type { S3Settings } from '../platform/config/s3.js';
import { readSearchConfig, type SearchConfig, searchVariables } from '../platform/config/search.js';
import { storeVariables } from '../platform/config/store.js';
import { readStoreSettings } from '../platform/config/store-settings.js';
import { checkApiSecretName } from '../platform/config/unknown.js';
import type { Environment, Variable, Variables } from '../platform/config/variable.js';
import { ConfigurationInvalid, collectProblems, readVariables } from '../platform/config/variable.js';
import type { Logger, LogLevel } from '../platform/observe/log.js';
import type { InProcessServices } from '../services/resolver/app.js';
import { isOpenSearch } from '../services/search/opensearch/location.js';
import { isPostgres } from '../services/search/postgres/location.js';
import { folderProblem } from '../storage/data/folder.js';
import { type BuiltService, coderConfig, withCoder } from './content-coder.js';
import type { ServiceName } from './service-names.js';

export { SERVICE_NAMES, type ServiceName } from './service-names.js';

/** A service with a valid configuration. */
export interface ConfiguredService {
  readonly host: string;
  readonly port: number;
  readonly logLevel: LogLevel;
  /** `inProcess`: what the services that started earlier in this process provide. */
  build(log: Logger, inProcess: InProcessServices): Promise<BuiltService>;
}

export interface ServiceEntry {
  readonly variables: Variables & {
    readonly host: Variable;
    readonly port: Variable;
    readonly logLevel: Variable;
  };
  /** Reads the configuration; writes nothing. @throws {ConfigurationInvalid} */
  configure(environment: Environment): ConfiguredService;
  /** Rules that involve several variables or a file; writes nothing. @throws {ConfigurationInvalid} */
  check?(environment: Environment): void;
  /** What a valid configuration stands for, one line each. */
  notes?(environment: Environment): Promise<readonly string[]>;
  /** Why folders and engines that a valid configuration names can't be used; one line each. */
  reach?(environment: Environment): Promise<readonly string[]>;
}

/** A problem as one line that names its variable. */
function lineOf(variable: string, problem: string | undefined): readonly string[] {
  return problem === undefined ? [] : [`${variable}: ${problem}`];
}

/** @param variable names the folder; `undefined` if the folder is in that of `ISCCD_DATA_DIR` */
function reachFolder(folder: string, variable: Variable | undefined): readonly string[] {
  return lineOf((variable ?? commonVariables.dataDir).name, folderProblem(folder));
}

async function reachRedis(url: string | undefined): Promise<readonly string[]> {
  if (url === undefined) return [];
  const { redisProblem } = await import('../platform/redis/check.js');
  return lineOf(commonVariables.redisUrl.name, await redisProblem(url));
}

async function indexProblem(location: string | undefined, apiKey: string | undefined) {
  if (location === undefined) return undefined;
  if (isPostgres(location))
    return (await import('../services/search/postgres/check.js')).databaseProblem(location);
  if (isOpenSearch(location))
    return (await import('../services/search/opensearch/check.js')).clusterProblem(location, apiKey);
  return undefined;
}

async function reachIndexes(environment: Environment): Promise<readonly string[]> {
  const { config, dataDir } = readSearchSettings(environment);
  const { indexUri: location, openSearchApiKey } = config;
  const { searchFolder } = await import('../services/search/engine/open.js');
  const ofLocation = location === undefined ? undefined : searchFolder(location);
  // Indexes in a database have a cache in the data folder.
  const isInDataDir = location === undefined || isPostgres(location);
  return [
    isInDataDir ? reachFolder(dataDir, undefined) : [],
    ofLocation === undefined ? [] : reachFolder(ofLocation, searchVariables.indexUri),
    lineOf(searchVariables.indexUri.name, await indexProblem(location, openSearchApiKey)),
  ].flat();
}

/** Problems of the models for semantic units. */
async function reachModels(config: CodesConfig): Promise<readonly string[]> {
  const { checkModels, configuredModels } = await import('../services/codes/pipeline/semantic/models.js');
  const { createLogger } = await import('../platform/observe/log.js');
  try {
    await checkModels(configuredModels(config), createLogger('silent'));
    return [];
  } catch (error) {
    if (error instanceof ConfigurationInvalid) return error.problems;
    throw error;
  }
}

async function reachDatabase(url: string | undefined): Promise<readonly string[]> {
  if (url === undefined || !isPostgres(url)) return [];
  const { databaseProblem } = await import('../storage/database/check.js');
  return lineOf(storeVariables.databaseUrl.name, await databaseProblem(url));
}

async function reachAll(
  s3: S3Settings | undefined,
  redisUrl: string | undefined,
): Promise<readonly string[]> {
  return (await Promise.all([reachS3(s3), reachRedis(redisUrl)])).flat();
}

async function reachS3(settings: S3Settings | undefined): Promise<readonly string[]> {
  if (settings === undefined) return [];
  const { bucketProblem } = await import('../storage/s3/check.js');
  return lineOf(settings.variable, await bucketProblem(settings));
}

function readSearchSettings(environment: Environment) {
  const [, config, common, network] = collectProblems<unknown>([
    () => checkApiSecretName(environment),
    () => readSearchConfig(environment),
    () => readVariables(commonVariables, environment),
    () => readNetworkConfig(environment),
  ]) as [undefined, SearchConfig, CommonConfig, NetworkConfig | undefined];
  return { config, dataDir: common.dataDir, network };
}

export const SERVICES: Readonly<Record<ServiceName, ServiceEntry>> = {
  codes: {
    variables: codesVariables,
    check: (environment) => void readCodesConfig(environment),
    reach: async (environment) => {
      const config = readCodesConfig(environment);
      const { mediaPath } = codesVariables;
      const isInDataDir = config.mediaS3 !== undefined || !environment[mediaPath.name];
      const folder = reachFolder(config.mediaPath, isInDataDir ? undefined : mediaPath);
      const others = [reachAll(config.mediaS3, config.redisUrl), reachModels(config)];
      return [folder, ...(await Promise.all(others))].flat();
    },
    configure(environment) {
      const config = readCodesConfig(environment);
      return {
        ...config,
        build: async (log) => {
          const app = await (await import('../services/codes/app.js')).codesApp(config, log);
          return { app, provides: { coder: app.coder } };
        },
      };
    },
  },
  search: {
    variables: { ...searchVariables, ...networkVariables },
    check: readSearchSettings,
    reach: reachIndexes,
    configure(environment) {
      const { config, dataDir, network } = readSearchSettings(environment);
      return {
        ...config,
        build: async (log) => {
          const follow = network && { network, log };
          const app = await (await import('../services/search/app.js')).searchApp(
            config,
            dataDir,
            follow,
            log,
          );
          const networkIndex = network && NETWORK_FACTS[network.network].index;
          const { inProcess: search, inProcessId: searchId, network: hubs } = app;
          return { app, provides: { search, searchId, network: hubs, networkIndex } };
        },
      };
    },
  },
  store: {
    variables: storeVariables,
    check: readStoreSettings,
    notes: async (environment) => {
      const { describeLists } = await import('../services/store/manifests/rules.js');
      return describeLists(readStoreSettings(environment));
    },
    reach: async (environment) => {
      const { blobsS3, dataDir, redisUrl, variables } = readStoreSettings(environment);
      const folder = reachFolder(
        dataDir,
        variables.dataDir === undefined ? undefined : storeVariables.dataDir,
      );
      const others = [reachAll(blobsS3, redisUrl), reachDatabase(variables.databaseUrl)];
      return [folder, ...(await Promise.all(others))].flat();
    },
    configure(environment) {
      const settings = readStoreSettings(environment);
      // The store writes to the index that the resolver reads.
      const { searchIndex, testAllow } = readResolverConfig(environment);
      const codes = coderConfig(settings.variables.byContent, environment);
      return {
        ...settings.variables,
        build: (log, inProcess) =>
          withCoder(codes, log, inProcess, async (services) => {
            const { storeApp } = await import('./store.js');
            const { storeConfig } = await import('./first-run.js');
            const { config, notices } = storeConfig(settings);
            for (const notice of notices) log.warn(notice);
            const indexName = indexNames(searchIndex)[0];
            const app = await storeApp(config, log, services, { indexName, allowed: new Set(testAllow) });
            return { app, provides: { manifests: app.inProcess }, reload: app.reload };
          }),
      };
    },
  },
  resolver: {
    variables: resolverVariables,
    check: readResolverConfig,
    configure(environment) {
      const config = readResolverConfig(environment);
      const codes = coderConfig(config.byContent || config.rights, environment);
      return {
        ...config,
        build: (log, inProcess) =>
          withCoder(codes, log, inProcess, async (services) => ({
            app: await (await import('../services/resolver/app.js')).resolverApp(config, services, {}, log),
          })),
      };
    },
  },
};
