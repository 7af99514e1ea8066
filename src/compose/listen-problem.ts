/** Explains why a server could not listen. */
import { createServer } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Names of the variables that configure an address. */
export interface AddressVariables {
  readonly host: { readonly name: string };
  readonly port: { readonly name: string };
}

/**
 * The reason and the variable to change; `undefined` if the address is free. Tries the address again, because not every
 * transport reports the reason.
 */
export async function listenProblem(
  { host, port }: Address,
  variables: AddressVariables,
): Promise<string | undefined> {
  switch (await listenError(host, port)) {
    case 'EADDRINUSE':
      return `port ${port} is already in use; change ${variables.port.name}`;
    case 'EACCES':
      return `no permission to listen on port ${port}; change ${variables.port.name}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine; change ${variables.host.name}`;
    default:
      return undefined;
  }
}

function listenError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
