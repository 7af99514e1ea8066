/** The server is a standby, or the database has a wrong encoding. The message is one line for the operator. */
export class ServerRefused extends Error {
  override readonly name = 'ServerRefused';
}
