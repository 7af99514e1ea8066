/** Checks that a cluster can hold indexes: it is reachable, new enough, and has the plug-in that compares vectors. */
import { failureReason } from '../../../platform/failure-reason.js';
import { FormatRefused } from '../../../storage/data/format.js';
import { Client } from './client.js';
import { OpenSearchError } from './errors.js';
import { checkMappings } from './format.js';
import { type OpenSearchLocation, parseLocation } from './location.js';

const VERSION_MIN = 3;
const PLUGIN = 'opensearch-knn';

interface Cluster {
  readonly version: { readonly distribution?: string; readonly number: string };
}

/** Why the cluster can't be used, for the operator; `undefined` if it can. Changes nothing. */
export async function clusterProblem(text: string, apiKey: string | undefined): Promise<string | undefined> {
  let location: OpenSearchLocation;
  try {
    location = parseLocation(text);
  } catch (error) {
    if (error instanceof FormatRefused) return error.message;
    throw error;
  }
  const client = new Client({ location, apiKey, onUnavailable: () => {} });
  try {
    return await problemOf(client, location);
  } catch (error) {
    if (error instanceof FormatRefused) return error.message;
    return `${location.place} cannot be used: ${reasonOf(error)}`;
  } finally {
    await client.close();
  }
}

async function problemOf(client: Client, location: OpenSearchLocation): Promise<string | undefined> {
  const { place, replicas } = location;
  const { version } = await client.get<Cluster>('/');
  if (version.distribution !== 'opensearch') return `${place} is not OpenSearch`;
  if (Number(version.number.split('.')[0]) < VERSION_MIN)
    return `OpenSearch ${version.number} at ${place} is too old, isccd needs ${VERSION_MIN}.0 or later`;
  const nodes = await client.get<readonly { readonly 'node.role': string }[]>(
    '/_cat/nodes?format=json&h=node.role',
  );
  const data = nodes.filter((node) => node['node.role'].includes('d')).length;
  const plugins = await client.get<readonly { readonly component: string; readonly classname?: string }[]>(
    '/_cat/plugins?format=json&h=component',
  );
  const isThere = plugins.some(({ component }) => component === PLUGIN || component.endsWith('KNNPlugin'));
  if (!isThere) return `${place} lacks the plug-in ${PLUGIN}`;
  if (data <= replicas)
    return `${place} has ${data} data nodes, too few for ${replicas} replicas; add nodes or set ?replicas=${data - 1}`;
  await checkMappings(client, location);
  return undefined;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof OpenSearchError && cause.status === 401)
    return 'it refuses the user and password, or the API key';
  if (cause instanceof OpenSearchError && cause.status === 403)
    return 'the user may not read the state of the cluster';
  return failureReason(cause);
}
