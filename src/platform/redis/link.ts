/** A connection to Redis that may be lost at any time: commands then have no result. Import it only if Redis is configured. */
import { Redis } from 'ioredis';
import { level, type Metric } from '../observe/instruments.js';
import type { Logger } from '../observe/log.js';
import { redisReason } from './reason.js';

/** After this time a command is given up, and the connection is made again. */
const COMMAND_MS_MAX = 1_000;
const CONNECT_MS_MAX = 2_000;
const RETRY_MS_MAX = 1_000;
const FIRST_RETRY_MS = 50;

export interface RedisLinkOptions {
  readonly url: string;
  readonly log: Logger;
  /** Prefix of the metric, such as `isccd_store`. */
  readonly metric: string;
  /** What happens without Redis, for the log. */
  readonly fallback: string;
}

export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #redis: Redis;
  readonly #listeners: Redis[] = [];
  /** `undefined` until the first connection, or its failure. */
  #isUp: boolean | undefined;

  private constructor(options: RedisLinkOptions) {
    this.#options = options;
    this.#redis = new Redis(options.url, {
      commandTimeout: COMMAND_MS_MAX,
      // Waiting commands would wait as long as Redis is away.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      lazyConnect: true,
      connectTimeout: CONNECT_MS_MAX,
      // It would send a wrong version: that of a package that is bundled.
      disableClientInfo: true,
      retryStrategy,
      // A server that became a replica after a failover.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
    this.#redis.on('error', (error) => this.#down(error));
    this.#redis.on('close', () => this.#down(new Error('the connection was closed')));
    this.#redis.on('ready', () => this.#up());
  }

  /** Resolves also if Redis is unavailable; the connection is then made later. */
  static async open(options: RedisLinkOptions): Promise<RedisLink> {
    const link = new RedisLink(options);
    await settled(link.#redis.connect());
    return link;
  }

  /** 1 while Redis is used, else 0. */
  get metrics(): readonly Metric[] {
    const help = `Whether Redis is available; without it ${this.#options.fallback}`;
    return [level(`${this.#options.metric}_redis_up`, help, () => (this.#isUp ? 1 : 0))];
  }

  /** The result of commands; `undefined` if Redis is unavailable. */
  async run<T>(commands: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    if (this.#redis.status !== 'ready') return undefined;
    try {
      const result = await commands(this.#redis);
      this.#up();
      return result;
    } catch (error) {
      this.#down(error);
      // The server may be frozen: until it answers on a new connection, no command waits for it.
      if (error instanceof Error && error.message === 'Command timed out')
        for (const redis of this.#all) redis.disconnect(true);
      return undefined;
    }
  }

  /** Calls back for every message of a channel, on a connection of its own. Messages are lost while Redis is away. */
  async listen(channel: string, onMessage: (message: string) => void): Promise<void> {
    // ioredis subscribes again only once: not after a connection that is lost before Redis replies. Its rejection is unhandled.
    const options = { autoResubscribe: false, maxRetriesPerRequest: null, lazyConnect: false };
    const listener = this.#redis.duplicate({ ...options, commandTimeout: undefined as never });
    this.#listeners.push(listener);
    // The other connection reports failures.
    listener.on('error', () => {});
    listener.on('message', (_, message) => onMessage(message));
    const first = new Promise<void>((resolve) => {
      listener.on('ready', () => {
        listener.subscribe(channel).then(
          () => resolve(),
          () => {},
        );
      });
    });
    await settled(first);
  }

  close(): void {
    this.#isUp = false;
    for (const redis of this.#all) redis.disconnect();
  }

  get #all(): readonly Redis[] {
    return [this.#redis, ...this.#listeners];
  }

  #up(): void {
    if (this.#isUp === false) this.#options.log.info('Redis is available again');
    this.#isUp = true;
  }

  #down(error: unknown): void {
    if (this.#isUp === false) return;
    this.#isUp = false;
    this.#options.log.warn(
      `Redis is unavailable, ${this.#options.fallback}: ${redisReason(error, this.#options.url)}`,
    );
  }
}

function retryStrategy(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt, 10), RETRY_MS_MAX);
}

/** Waits until a promise is settled, or for as long as a command may take. */
async function settled(promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, COMMAND_MS_MAX);
  });
  await Promise.race([promise.catch(() => undefined), late]);
  clearTimeout(timer);
}
