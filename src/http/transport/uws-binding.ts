/** The part of uWebSockets.js that is used; its own declarations lack arguments that the binary takes. */
import { createRequire } from 'node:module';

declare const handle: unique symbol;
export interface ListenSocket {
  readonly [handle]: true;
}

export interface UwsApp {
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): void;
  listen(
    host: string,
    port: number,
    options: number,
    onListening: (socket: ListenSocket | false) => void,
  ): void;
  /** Stops listening and breaks every connection. */
  close(): void;
}

/** Valid only during the handler's call. */
export interface UwsRequest {
  forEach(onLine: (lowerCaseName: string, value: string) => void): void;
  getMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
}

/** Valid until it is ended, closed or aborted; using it later throws. */
export interface UwsResponse {
  writeStatus(status: string): void;
  writeHeader(name: string, value: string): void;
  write(piece: Uint8Array): boolean;
  end(body?: string | Uint8Array, closeConnection?: boolean): void;
  endWithoutBody(): void;
  tryEnd(piece: Uint8Array, totalLength: number): [ok: boolean, complete: boolean];
  getWriteOffset(): number;
  onWritable(handler: (offset: number) => boolean): void;
  onAborted(handler: () => void): void;
  onData(handler: (memory: ArrayBuffer, last: boolean) => void): void;
  pause(): void;
  resume(): void;
  close(): void;
  cork(work: () => void): void;
  getRemoteAddressAsText(): ArrayBuffer;
}

export interface UwsBinding {
  App(): UwsApp;
  _cfg(option: string): void;
  us_listen_socket_close(socket: ListenSocket): void;
  us_socket_local_port(socket: ListenSocket): number;
}

/** `listen` option: no other process may share the port. */
export const EXCLUSIVE_PORT = 1;

/**
 * Loads the native binary.
 *
 * @throws if there is none for this platform and Node.js version
 */
export function loadBinding(): UwsBinding {
  const { platform, arch, versions } = process;
  // Not the package's main file: without a binary that one falls back to an HTTP server of its own, silently.
  const file = `uWebSockets.js/binaries/uws_${platform}_${arch}_${versions.modules}.node`;
  const binding = createRequire(import.meta.url)(file) as UwsBinding;
  // Leaves out the header that names the server.
  binding._cfg('999999990007');
  return binding;
}
