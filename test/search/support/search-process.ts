/** The search service in its own process, as a user starts it. */
import { type Process, serve } from '../../support/serve.js';

export interface SearchProcess extends Process {
  readonly url: string;
}

/** Starts the service; rejects with its output if it exits before it listens. */
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
