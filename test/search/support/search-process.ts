/** The search service in a process of its own, as a user starts it. */
import { type Process, serve } from '../../support/serve.js';

export interface SearchProcess extends Process {
  readonly url: string;
}

/** Starts the service; rejects with what it said if it ends before it listens. */
export async function startProcess(
  location: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<SearchProcess> {
  const env = {
    INDEXSVC_INDEX_URI: location,
    INDEXSVC_PORT: '0',
    INDEXSVC_LOG_LEVEL: 'info',
    ...environment,
  };
  const { urls, ...process } = await serve(['search'], { env });
  return { ...process, url: urls.search };
}
