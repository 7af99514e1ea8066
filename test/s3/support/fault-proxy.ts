/** A proxy before an S3 server that makes faults: responses of its own, silence, and connections that end early. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Fault = {
  /** Requests that have it, by method and path: `PUT /bucket/key`. Default: all. */
  readonly match?: RegExp;
} & (
  | { readonly kind: 'status'; readonly status: number; readonly body: string }
  /** The request gets no response. */
  | { readonly kind: 'silence' }
  /** The connection ends in the middle of the body. */
  | { readonly kind: 'cut' }
);

export interface FaultProxy {
  readonly url: string;
  /** Requests since the last change of the fault, as `PUT /bucket/key`. */
  readonly requests: readonly string[];
  /** `undefined` ends the fault. */
  set(fault: Fault | undefined): void;
  stop(): Promise<void>;
}

/** The body of an S3 error. */
export function s3Error(code: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
}

/** Starts a proxy before the server at `target`. Signatures stay valid: it passes on the `Host` of the request. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let fault: Fault | undefined;
  const requests: string[] = [];
  const server: Server = createServer((incoming, outgoing) => {
    const line = `${incoming.method} ${incoming.url}`;
    requests.push(line);
    const isHit = fault !== undefined && (fault.match?.test(line) ?? true);
    void serve(target, incoming, outgoing, isHit ? fault : undefined).catch(() => incoming.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    set(next) {
      fault = next;
      requests.length = 0;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function serve(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  if (fault?.kind === 'silence') return;
  const sent = await buffer(incoming);
  if (fault?.kind === 'status') {
    outgoing.writeHead(fault.status).end(incoming.method === 'HEAD' ? '' : fault.body);
    return;
  }
  const { method, headers } = incoming;
  const passed = request(target + incoming.url, { method, headers }).end(sent);
  const [response] = (await once(passed, 'response')) as [IncomingMessage];
  const body = await buffer(response);
  outgoing.writeHead(response.statusCode ?? 502, response.headers);
  if (fault?.kind !== 'cut') return void outgoing.end(body);
  outgoing.write(body.subarray(0, body.length / 2), () => incoming.socket.end());
}
