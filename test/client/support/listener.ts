/** A server that returns canned responses in order and records the requests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * A status with a body and headers. `reset` closes the connection after the request, `cut` in the middle of the
 * response.
 */
export type CannedResponse =
  | readonly [status: number, body?: string, headers?: Record<string, string>]
  | 'reset'
  | 'cut';

export interface Listener {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  close(): void;
}

/** The last response is repeated. */
export async function listener(...responses: readonly CannedResponse[]): Promise<Listener> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    respond(responses[Math.min(requests.length, responses.length) - 1] ?? [500], response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function respond(canned: CannedResponse, response: ServerResponse): void {
  if (canned === 'reset') response.socket?.destroy();
  else if (canned === 'cut')
    response.writeHead(200, { 'Content-Length': '9' }).write('[', () => response.socket?.destroy());
  else response.writeHead(canned[0], canned[2]).end(canned[1]);
}
