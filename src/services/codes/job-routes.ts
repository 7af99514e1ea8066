/** Routes of jobs: `/jobs/{id}`, as JSON or as a stream of events. */
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Reply, Request, Route } from '../../http/routing/route.js';
import { route } from '../../http/routing/route.js';
import { describedError, retryLater } from './error-form.js';
import type { JobView } from './jobs/job-board.js';
import { STEPS } from './pipeline/stopwatch.js';
import type { CodesService } from './service.js';

const BASE = '/api/v1';

const jobParams = z.object({
  id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe('Id of a job of the same client'),
});

export const jobStatus = z
  .object({
    id: z.string(),
    state: z.enum(['running', 'done', 'failed', 'cancelled']),
    stage: z.string().optional().describe('Name of the step that began last'),
    description: z.string().optional().describe('What the step does'),
    percent: z.int().min(0).max(100).describe('Estimated share of the work that is done'),
    media_id: z.string().optional().describe('The stored file, when done'),
    location: z.string().optional().describe('Root-relative URL of the result, when done'),
    error: z
      .object({ status: z.int(), code: z.string(), detail: z.string() })
      .optional()
      .describe('Why the job failed'),
  })
  .meta({ id: 'Job' });

type JobStatus = z.output<typeof jobStatus>;

const AWAY = retryLater('The state of jobs of other instances cannot be read');
const UNKNOWN = { description: 'Unknown job, or the job of another client' };

export function jobRoutes(service: CodesService): Route[] {
  return [
    route({
      method: 'GET',
      path: `${BASE}/jobs/{id}`,
      operationId: 'getJob',
      summary: 'Get the state of a job',
      description:
        'A job is what a request with `Prefer: respond-async` started. With `Accept: text/event-stream` the response ' +
        'is a stream of events named `job` with the same JSON; it ends with the job, or with an event `error` if the ' +
        'state of the job cannot be read any more.',
      tags: ['jobs'],
      params: jobParams,
      responses: { 200: { description: 'The state', schema: jobStatus }, 404: UNKNOWN, 503: AWAY },
      handler: async (request) => {
        const { params, clientAddress } = request;
        const view = await service.job(clientAddress, params.id);
        if (!prefersEvents(request)) return answer(view);
        const stream = Readable.from(events(service, clientAddress, view, request.signal));
        const headers = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };
        return { status: 200, headers, body: { kind: 'stream', stream, contentType: 'text/event-stream' } };
      },
    }),
    route({
      method: 'DELETE',
      path: `${BASE}/jobs/{id}`,
      operationId: 'cancelJob',
      summary: 'Cancel a job',
      description: 'Stops the processing, frees the worker and forgets the job. A finished upload is kept.',
      tags: ['jobs'],
      params: jobParams,
      responses: { 204: { description: 'Cancelled' }, 404: UNKNOWN, 503: AWAY },
      handler: async ({ params, clientAddress }) => {
        await service.cancelJob(clientAddress, params.id);
        return { status: 204 };
      },
    }),
  ];
}

/** Whether the client asks to be answered before the work is done (RFC 7240). */
export function prefersAsync(request: Pick<Request, 'header'>): boolean {
  return /(?:^|[,\s])respond-async(?:$|[,;\s])/i.test(request.header('prefer') ?? '');
}

/** 202 with the address of a job. */
export async function accepted(service: CodesService, clientAddress: string, id: string): Promise<Reply> {
  const view = await service.job(clientAddress, id);
  const reply = answer(view);
  const headers = { ...reply.headers, Location: `${BASE}/jobs/${id}`, 'Preference-Applied': 'respond-async' };
  return { ...reply, status: 202, headers };
}

function answer(view: JobView): Reply {
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    body: { kind: 'json', value: statusOf(view) },
  };
}

function prefersEvents(request: Pick<Request, 'header'>): boolean {
  return (request.header('accept') ?? '').includes('text/event-stream');
}

/** A comment keeps connections open while nothing changes. */
const KEEP_ALIVE = ': waiting\n\n';

async function* events(
  service: CodesService,
  clientAddress: string,
  first: JobView,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let view = first;
  yield event(view);
  while (!view.done && !signal.aborted) {
    const next = await service
      .job(clientAddress, view.id, view.changes, signal)
      .catch((error: unknown) => ({ error: describedError(error) }));
    if ('error' in next) {
      // The status was sent long ago, so the stream itself says why it ends.
      yield `event: error\ndata: ${JSON.stringify(next.error)}\n\n`;
      return;
    }
    yield next.changes > view.changes ? event(next) : KEEP_ALIVE;
    view = next;
  }
}

function event(view: JobView): string {
  return `event: job\ndata: ${JSON.stringify(statusOf(view))}\n\n`;
}

function statusOf({ id, steps, end }: JobView): JobStatus {
  const last = steps.at(-1);
  return {
    id,
    state: end?.state ?? 'running',
    ...(last && { stage: last.name, description: STEPS[last.name] }),
    percent: end?.state === 'done' ? 100 : percentOf(steps),
    ...(end?.state === 'done' && {
      media_id: end.mediaId,
      location: `${BASE}/iscc/${end.mediaId}`,
    }),
    ...(end?.state === 'failed' && { error: end.error }),
  };
}

/** Decoding takes most of the time; its own percentage counts if it is known. */
const DECODED_FROM = 5;
const DECODED_TO = 95;
const STEPS_EXPECTED = 9;

function percentOf(steps: JobView['steps']): number {
  const decoding = steps.map(({ percent }) => percent).find((percent) => percent !== undefined);
  if (decoding !== undefined) {
    return Math.floor(DECODED_FROM + (decoding / 100) * (DECODED_TO - DECODED_FROM));
  }
  const ended = steps.filter(({ ms }) => ms !== undefined).length;
  return Math.min(DECODED_TO, Math.floor((ended / STEPS_EXPECTED) * 100));
}
