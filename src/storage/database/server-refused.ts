/** Why a connection to a database server is not used. */
import { StorageUnavailable } from '../data/unavailable.js';

/** The server is a standby, or the database has a wrong encoding. The message is one line for the operator. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused';
}

/** The server does not respond in time. Whether it has executed the statement is unknown. */
export class ServerSilent extends StorageUnavailable {
  override readonly name: string = 'ServerSilent';
}
