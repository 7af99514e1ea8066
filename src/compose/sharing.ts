/** Which services several processes can run together: those whose whole state is in engines that they share. */
import { codesVariables } from '../platform/config/codes.js';
import { redisVariable } from '../platform/config/redis.js';
import { searchVariables } from '../platform/config/search.js';
import { storeVariables } from '../platform/config/store.js';
import { ConfigurationInvalid, type Environment } from '../platform/config/variable.js';
import type { ServiceName } from './service-names.js';

/** An engine that a service needs so that several processes can run it. */
interface SharedEngine {
  /** What it keeps, as part of a sentence. */
  readonly what: string;
  readonly variable: { readonly name: string };
  /** The variable selects the engine with an address of one of these schemes. */
  readonly schemes: readonly string[];
  readonly example: string;
}

const POSTGRES = ['postgresql:', 'postgres:'];

const REDIS: Omit<SharedEngine, 'what'> = {
  variable: redisVariable,
  schemes: ['redis:', 'rediss:'],
  example: 'redis://HOST:6379',
};

const ENGINES: Readonly<Record<ServiceName, readonly SharedEngine[]>> = {
  codes: [
    {
      what: 'uploads',
      variable: codesVariables.mediaPath,
      schemes: ['s3:'],
      example: 's3://BUCKET/PREFIX',
    },
    { what: 'the progress of uploads and jobs', ...REDIS },
  ],
  search: [
    {
      what: 'indexes',
      variable: searchVariables.indexUri,
      schemes: [...POSTGRES, 'opensearch+https:', 'opensearch+http:'],
      example: 'postgresql://HOST/NAME',
    },
  ],
  store: [
    {
      what: 'manifests and accounts',
      variable: storeVariables.databaseUrl,
      schemes: POSTGRES,
      example: 'postgresql://HOST/NAME',
    },
    { what: 'rate limits', ...REDIS },
  ],
  resolver: [],
};

/** @throws {ConfigurationInvalid} with a line for each variable that must be set before several processes can run the services */
export function checkShared(services: readonly ServiceName[], environment: Environment): void {
  const problems = services.flatMap((service) => {
    const missing = ENGINES[service].filter(({ variable, schemes }) => {
      const value = environment[variable.name] ?? '';
      return !schemes.some((scheme) => value.startsWith(scheme));
    });
    return missing.map(
      ({ what, variable, example }) =>
        `${variable.name} must be set with --workers, such as ${example}: ` +
        `several processes of ${service} share ${what} only there`,
    );
  });
  if (problems.length > 0) throw new ConfigurationInvalid(...problems);
}
