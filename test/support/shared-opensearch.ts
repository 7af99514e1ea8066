/**
 * One node of OpenSearch for all test files of a run: the first file that asks for it starts it, and it ends with the run.
 * Tests that stop a node have one of their own.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type OpenSearchCluster, openSearchIfPossible } from './opensearch.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Responds with the location of indexes with a new prefix; empty if no node can be installed. */
    readonly sharedOpenSearch: string;
  }
}

/** Vitest calls this before the first file, and the returned function after the last one. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let node: Promise<OpenSearchCluster | undefined> | undefined;
  const server = createServer(async (_, response) => {
    node ??= openSearchIfPossible();
    response.end((await node)?.location() ?? '');
  });
  // A first start may install the node.
  server.requestTimeout = 0;
  await listening(server);
  provide('sharedOpenSearch', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await (await node)?.stop();
  };
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
}
