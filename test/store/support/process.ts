/** The store in its own process, started by the command. */
import { type Process, serve } from '../../support/serve.js';
import { type Place, type StoreClient, storeClient, storeEnvironment } from './server.js';

export interface StoreProcess extends StoreClient, Process {}

/** Starts the service. Rejects with its output if it ends before it listens. */
export async function startStoreProcess(
  place: Place,
  environment: Readonly<Record<string, string>> = {},
): Promise<StoreProcess> {
  const env = { ...storeEnvironment(place), MSTORE_LOG_LEVEL: 'warn', ...environment };
  const { urls, ...process } = await serve(['store'], { env });
  const url = urls.store;
  return { ...process, ...storeClient({ url, port: Number(new URL(url).port), stop: process.stop }) };
}
