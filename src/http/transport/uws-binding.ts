/** The used part of uWebSockets.js. Its own declarations lack arguments that the binary accepts. */
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
  /** Stops listening and closes every connection. */
  close(): void;
}

/** Valid only during the handler call. */
export interface UwsRequest {
  forEach(onLine: (lowerCaseName: string, value: string) => void): void;
  getMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
}

/** Valid until ended, closed or aborted; later calls throw. */
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

/** Option of `listen`: no other process can share the port. */
export const EXCLUSIVE_PORT = 1;

/**
 * Loads the native binary.
 *
 * @throws if none exists for this platform and Node.js version
 */
export function loadBinding(): UwsBinding {
  const { platform, arch, versions } = process;
  // The package's main file would silently fall back to its own HTTP server if the binary is missing.
  const file = `uWebSockets.js/binaries/uws_${platform}_${arch}_${versions.modules}.node`;
  const binding = createRequire(import.meta.url)(file) as UwsBinding;
  // Removes the header that names the server.
  binding._cfg('999999990007');
  return binding;
}
