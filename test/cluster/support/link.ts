/** A connection between servers of this machine that a test can cut. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export class Link {
  readonly #sockets = new Set<Socket>();
  readonly #server;
  #isCut = false;

  private constructor(target: string) {
    this.#server = createServer((from) => {
      const to = connect(target);
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => other.destroy());
        one.once('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.on('data', (bytes) => {
          if (!this.#isCut && !other.write(bytes)) one.pause();
        });
        other.on('drain', () => one.resume());
      }
    });
  }

  /** Both are paths of Unix sockets. */
  static async open(socket: string, target: string): Promise<Link> {
    const link = new Link(target);
    link.#server.listen(socket);
    await once(link.#server, 'listening');
    return link;
  }

  /** From now on nothing arrives, and neither end learns of it. */
  cut(): void {
    this.#isCut = true;
  }

  /** Ends what was cut, and connects again. */
  heal(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#isCut = false;
  }

  close(): void {
    this.heal();
    this.#server.close();
  }
}
