/** Storage on another machine that does not work at the moment. */

/** The storage is unreachable or refuses to serve this process. The message is one line for the operator. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}
