/** The used part of uWebSockets.js. Its own declarations lack arguments that the binary accepts. */
import { createRequire } from 'node:module';
import { addonTarget } from '../../platform/addon-target.js';

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

/** No binary exists for this platform and version. This is usual, unlike one that does not load. */
export class NoBinary extends Error {
  override readonly name = 'NoBinary';
}

/** Option of `listen`: another process that listens on the port would receive half of the connections (SO_REUSEPORT). */
export const SHARED_PORT = 0;
/** Option of `listen`: no other process can share the port. */
export const EXCLUSIVE_PORT = 1;

/**
 * Loads the native binary.
 *
 * @throws if none exists for this platform and Node.js version
 */
export function loadBinding(): UwsBinding {
  const { platform, arch, versions } = process;
  const file = `uws_${platform}_${arch}_${versions.modules}.node`;
  const require = createRequire(import.meta.url);
  // The package's main file would silently fall back to its own HTTP server if the binary is missing.
  const binding = firstOf(require, [
    `uWebSockets.js/binaries/${file}`,
    `@isccd/native-${addonTarget()}/${file}`,
  ]);
  // Removes the header that names the server.
  binding._cfg('999999990007');
  return binding;
}

/** A checkout has the whole package; an installed isccd has this platform's binary next to its addon. */
function firstOf(require: NodeJS.Require, [file, ...others]: readonly string[]): UwsBinding {
  if (file === undefined) throw new NoBinary(`there is no binary for Node.js ${process.version}`);
  try {
    require.resolve(file);
  } catch {
    return firstOf(require, others);
  }
  return require(file) as UwsBinding;
}
