/** A real receiver of webhooks. */
import { createHmac } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/storage/database/open.js';
import type { Place } from './server.js';

const KEY = Buffer.alloc(32, 5);
export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
  readonly body: string;
}

/** Decides the response to a delivery; without one, the request hangs. */
export type Plan = (delivery: Delivery, response: ServerResponse) => void;
export const accept: Plan = (_, response) => response.writeHead(204).end();

/** Verifies every signature as the Standard Webhooks specification says. */
export class Receiver {
  readonly deliveries: Delivery[] = [];
  plan: Plan = accept;
  key = KEY;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await text(request);
      const header = (name: string) => String(request.headers[name]);
      const [eventId, seconds] = [header('webhook-id'), header('webhook-timestamp')];
      const signature = createHmac('sha256', this.key)
        .update(`${eventId}.${seconds}.${body}`)
        .digest('base64');
      const { type, data, id } = JSON.parse(body);
      const isValid = header('webhook-signature') === `v1,${signature}` && id === eventId;
      const isFresh = Math.abs(Date.now() / 1000 - Number(seconds)) < 300;
      const delivery = { id, type: isValid && isFresh ? type : 'forged', data, body };
      this.deliveries.push(delivery);
      this.plan(delivery, response);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => this.close());
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook?tenant=1`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  types(): string[] {
    return this.deliveries.map(({ type }) => type);
  }
}

export function webhookEnvironment(url: string): Record<string, string> {
  return {
    MSTORE_WEBHOOK_URL: url,
    MSTORE_WEBHOOK_SECRET: `whsec_${KEY.toString('base64')}`,
    MSTORE_WEBHOOK_TIMEOUT: '60',
  };
}

export const PATIENCE = { timeout: 60_000, interval: 50 };

/**
 * Ends the pause before the next attempt of events that failed `attempts` times, as if the time had passed: the first pauses
 * take 5 and 10 s.
 */
export async function retryNow(place: Place, attempts: number): Promise<void> {
  const { db, close } = await openDatabase(place.url, place.dataDir);
  try {
    await expect
      .poll(async () => {
        const update = db.updateTable('webhook_events').set({ next_at: 0 }).where('attempts', '=', attempts);
        return Number((await update.executeTakeFirst()).numUpdatedRows);
      }, PATIENCE)
      .toBeGreaterThan(0);
  } finally {
    await close();
  }
}

/** The events of the outbox. */
export async function waiting(place: Place) {
  const { db, close } = await openDatabase(place.url, place.dataDir);
  const rows = await db.selectFrom('webhook_events').selectAll().orderBy('key').execute();
  await close();
  return rows;
}
