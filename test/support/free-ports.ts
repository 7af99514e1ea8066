/** Ports for servers that need to know theirs before they start, or are started again on the same one. */
import net from 'node:net';

/** Below the ports of outgoing connections, which could take one between a kill and a start. */
const FIRST_PORT = 20_000;
const PORTS = 2_500;
/** Distance of the port of each server's own protocol. */
const GRPC = 10_000;

/** Ports that are free, each with that of its distance. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (!ports.includes(port) && (await isFree(port)) && (await isFree(port + GRPC))) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return listenOn(port).then(
    () => true,
    () => false,
  );
}

async function listenOn(port: number): Promise<void> {
  const server = net.createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
