/** The services this program can start: their variables, and how each becomes an app. */
import { codesVariables } from '../config/codes.js';
import { commonVariables } from '../config/common.js';
import { readResolverConfig, resolverVariables } from '../config/resolver.js';
import { searchVariables } from '../config/search.js';
import { storeVariables } from '../config/store.js';
import { checkStoreConfig, storeConfig } from '../config/store-config.js';
import type { Environment, Variable, Variables } from '../config/variable.js';
import { readVariables } from '../config/variable.js';
import type { ServiceApp } from '../http/routing/service.js';
import type { Logger, LogLevel } from '../observe/log.js';
import type { Neighbours } from '../resolver/app.js';
import type { ServiceName } from './service-names.js';

export { SERVICE_NAMES, type ServiceName } from './service-names.js';

/** A service whose configuration has been read and found sound. */
export interface ConfiguredService {
  readonly host: string;
  readonly port: number;
  readonly logLevel: LogLevel;
  /** `house`: what services that started before lend; the service adds its own. */
  app(log: Logger, house: House): Promise<ServiceApp>;
}

/** What services of one process lend each other. */
export interface House extends Neighbours {
  search?: Neighbours['search'];
  manifests?: Neighbours['manifests'];
}

export interface ServiceEntry {
  readonly variables: Variables & { readonly host: Variable; readonly port: Variable };
  /** @throws ConfigurationInvalid */
  configure(environment: Environment): ConfiguredService;
  /** What no variable's own rule can say; writes nothing. @throws ConfigurationInvalid */
  check?(environment: Environment): void;
}

/** In the order they start. */
export const SERVICES: Readonly<Record<ServiceName, ServiceEntry>> = {
  codes: {
    variables: codesVariables,
    configure(environment) {
      const config = readVariables(codesVariables, environment);
      return {
        ...config,
        app: async (log) => (await import('../codes/app.js')).codesApp(config, log),
      };
    },
  },
  search: {
    variables: searchVariables,
    configure(environment) {
      const config = readVariables(searchVariables, environment);
      const { dataDir } = readVariables(commonVariables, environment);
      return {
        ...config,
        app: async (_, house) => {
          const app = await (await import('../search/app.js')).searchApp(config, dataDir);
          house.search = app.local;
          return app;
        },
      };
    },
  },
  store: {
    variables: storeVariables,
    check: checkStoreConfig,
    configure(environment) {
      const { config, notices } = storeConfig(environment);
      // The store writes where the resolver reads.
      const { searchIndex } = readVariables(resolverVariables, environment);
      return {
        ...config,
        app: async (log, house) => {
          for (const notice of notices) log.warn(notice);
          return (await import('./store-app.js')).storeApp(config, log, house, searchIndex);
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
        app: async (_, house) => (await import('../resolver/app.js')).resolverApp(config, house),
      };
    },
  },
};
