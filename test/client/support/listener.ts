/** A listener that answers one thing after the other, and what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * A status with a body and headers; `reset` closes the connection once the request is there, `cut` in the
 * middle of the answer.
 */
export type Answer =
  | readonly [status: number, body?: string, headers?: Record<string, string>]
  | 'reset'
  | 'cut';

export interface Listener {
  readonly url: string;
  readonly asked: readonly Asked[];
  close(): void;
}

/** The last answer is given again and again. */
export async function listener(...answers: readonly Answer[]): Promise<Listener> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    give(answers[Math.min(asked.length, answers.length) - 1] ?? [500], response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function give(answer: Answer, response: ServerResponse): void {
  if (answer === 'reset') response.socket?.destroy();
  else if (answer === 'cut')
    response.writeHead(200, { 'Content-Length': '9' }).write('[', () => response.socket?.destroy());
  else response.writeHead(answer[0], answer[2]).end(answer[1]);
}
