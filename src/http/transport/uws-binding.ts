/** The used part of uWebSockets.js. Its own declarations lack arguments that the binary accepts. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
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
  /** Missing in older builds. Must be called before `getMethod`, which changes the memory that both read. */
  getCaseSensitiveMethod?(): string;
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
 * @throws {NoBinary} if none exists for this platform and Node.js version, or glibc is older than it needs
 */
export function loadBinding(): UwsBinding {
  const require = createRequire(import.meta.url);
  let reason = `there is no binary for Node.js ${process.version}`;
  for (const file of binaries(require)) {
    try {
      const binding = require(file) as UwsBinding;
      // Removes the header that names the server.
      binding._cfg('999999990007');
      return binding;
    } catch (error) {
      // Other faults are not usual, and tell of a damaged or unsound file.
      const [, needed] = /`GLIBC_([\d.]+)' not found/.exec(String(error)) ?? [];
      if (needed === undefined) throw error;
      reason = `its binary needs glibc ${needed} or later`;
    }
  }
  throw new NoBinary(reason);
}

/**
 * Files that exist for this platform and Node.js version, best first. A checkout has the whole package, and an older build
 * for older versions of glibc; an installed isccd has this platform's binaries next to its addon. The package's main file
 * would only find the first of these.
 */
function binaries(require: NodeJS.Require): readonly string[] {
  const { platform, arch, versions } = process;
  const file = `uws_${platform}_${arch}_${versions.modules}.node`;
  const target = addonTarget();
  if (target === undefined || target.endsWith('musl')) return [];
  const folders = [
    resolved(require, 'uWebSockets.js', '.'),
    resolved(require, `@isccd/native-${target}/package.json`, '.'),
    resolved(require, 'uWebSockets.js-unofficial/package.json', 'binaries'),
  ];
  return folders
    .flatMap((folder) => folder ?? [])
    .map((folder) => path.join(folder, file))
    .filter(existsSync);
}

/** A folder next to a file of a package, if the package is installed. */
function resolved(require: NodeJS.Require, file: string, folder: string): string | undefined {
  try {
    return path.join(path.dirname(require.resolve(file)), folder);
  } catch {
    return undefined;
  }
}
