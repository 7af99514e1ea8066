/** The hub double over HTTP, with faults at chosen requests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { HubModel, type HubOptions, type HubRequest, type HubResponse } from './hub.js';

/** A fault, and whether the hub processes the request before it. */
export interface Fault {
  readonly processed: boolean;
  /** `hang` keeps the connection without a response; `reset` closes it. */
  readonly answer: 'hang' | 'reset' | (Partial<HubResponse> & { readonly location?: string });
}

export type FaultPlan = (
  request: HubRequest,
  number: number,
) => Fault | Promise<Fault | undefined> | undefined;

export class HubServer {
  readonly model: HubModel;
  readonly requests: HubRequest[] = [];
  /** Called for every request; may wait. */
  faults: FaultPlan = () => undefined;
  readonly #server: Server;

  constructor(options: HubOptions = {}) {
    this.model = new HubModel(options);
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Requests by method and path, without query. */
  trace(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received: HubRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers as Record<string, string | undefined>,
      body: await text(request),
    };
    this.requests.push(received);
    const fault = await this.faults(received, this.requests.length);
    if (fault === undefined) return reply(response, await this.model.handle(received));
    if (fault.processed) await this.model.handle(received);
    if (fault.answer === 'reset') request.socket.destroy();
    else if (fault.answer !== 'hang') reply(response, fault.answer);
  }
}

function reply(response: ServerResponse, answer: Partial<HubResponse> & { location?: string }): void {
  const { status = 200, contentType = 'application/json', body = '', location } = answer;
  const headers = { 'Content-Type': contentType, ...(location === undefined ? {} : { Location: location }) };
  response.writeHead(status, headers);
  response.end(status === 204 ? undefined : body);
}
