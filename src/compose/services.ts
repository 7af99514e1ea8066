/** The services of this program: the variables of each, and how to build its app from them. */
import { codesVariables } from '../config/codes.js';
import { commonVariables } from '../config/common.js';
import { networkVariables, readNetworkConfig } from '../config/network.js';
import { indexNames, readResolverConfig, resolverVariables } from '../config/resolver.js';
import { searchVariables } from '../config/search.js';
import { storeVariables } from '../config/store.js';
import { readStoreSettings } from '../config/store-settings.js';
import { checkApiSecretName } from '../config/unknown.js';
import type { Environment, Variable, Variables } from '../config/variable.js';
import { readVariables } from '../config/variable.js';
import type { ServiceApp } from '../http/routing/service.js';
import { NETWORK_FACTS } from '../network/networks.js';
import type { Logger, LogLevel } from '../observe/log.js';
import type { InProcessServices } from '../resolver/app.js';
import type { ServiceName } from './service-names.js';

export { SERVICE_NAMES, type ServiceName } from './service-names.js';

export interface BuiltService {
  readonly app: ServiceApp;
  /** What services that start later can call without HTTP. */
  readonly provides?: InProcessServices;
}

/** A service with a valid configuration. */
export interface ConfiguredService {
  readonly host: string;
  readonly port: number;
  readonly logLevel: LogLevel;
  /** `inProcess`: what the services that started earlier in this process provide. */
  build(log: Logger, inProcess: InProcessServices): Promise<BuiltService>;
}

export interface ServiceEntry {
  readonly variables: Variables & { readonly host: Variable; readonly port: Variable };
  /** Reads the configuration; writes nothing. @throws {ConfigurationInvalid} */
  configure(environment: Environment): ConfiguredService;
  /** Rules that involve several variables or a file; writes nothing. @throws {ConfigurationInvalid} */
  check?(environment: Environment): void;
}

export const SERVICES: Readonly<Record<ServiceName, ServiceEntry>> = {
  codes: {
    variables: codesVariables,
    configure(environment) {
      const config = readVariables(codesVariables, environment);
      return {
        ...config,
        build: async (log) => ({ app: await (await import('../codes/app.js')).codesApp(config, log) }),
      };
    },
  },
  search: {
    variables: { ...searchVariables, ...networkVariables },
    check(environment) {
      checkApiSecretName(environment);
      readNetworkConfig(environment);
    },
    configure(environment) {
      checkApiSecretName(environment);
      const config = readVariables(searchVariables, environment);
      const { dataDir } = readVariables(commonVariables, environment);
      const network = readNetworkConfig(environment);
      return {
        ...config,
        build: async (log) => {
          const follow = network && { network, log };
          const app = await (await import('../search/app.js')).searchApp(config, dataDir, follow);
          const networkIndex = network && NETWORK_FACTS[network.network].index;
          return { app, provides: { search: app.inProcess, networkIndex } };
        },
      };
    },
  },
  store: {
    variables: storeVariables,
    check: readStoreSettings,
    configure(environment) {
      const settings = readStoreSettings(environment);
      // The store writes to the index that the resolver reads.
      const { searchIndex } = readVariables(resolverVariables, environment);
      return {
        ...settings.variables,
        build: async (log, inProcess) => {
          const { storeApp } = await import('./store.js');
          const { storeConfig } = await import('./first-run.js');
          const { config, notices } = storeConfig(settings);
          for (const notice of notices) log.warn(notice);
          const app = await storeApp(config, log, inProcess, indexNames(searchIndex)[0]);
          return { app, provides: { manifests: app.inProcess } };
        },
      };
    },
  },
  resolver: {
    variables: resolverVariables,
    check: readResolverConfig,
    configure(environment) {
      const config = readResolverConfig(environment);
      return {
        ...config,
        build: async (_, inProcess) => ({
          app: await (await import('../resolver/app.js')).resolverApp(config, inProcess),
        }),
      };
    },
  },
};
