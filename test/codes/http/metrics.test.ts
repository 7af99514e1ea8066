import { expect, onTestFinished, test } from 'vitest';
import { noise, upload, uploaded } from '../support/client.js';
import { fileBytes } from '../support/reference.js';
import { startCodes, TRANSPORTS } from '../support/server.js';

/** Fetches the metrics and returns a function that sums the values of matching lines. */
async function metrics(url: string): Promise<(pattern: RegExp) => number> {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of lines) expect(line).toMatch(/^[a-z_]\w*(\{[^{}]*(\{\w+\}[^{}]*)*\})? \S+$/);
  return (pattern) => {
    const found = lines.filter((line) => pattern.test(line));
    return found.map((line) => Number(line.split(' ').at(-1))).reduce((sum, value) => sum + value, 0);
  };
}

test.each(TRANSPORTS)('counts requests, bytes, durations and jobs (%s)', async (transport) => {
  const server = await startCodes({ transport, servesMetrics: true });
  onTestFinished(() => server.close());
  const { media_id } = await uploaded(server.url, 'photo_a.png', fileBytes('photo_a.png'));
  await uploaded(server.url, 'random.bin', noise(5000));
  expect((await upload(server.url, 'bad.jpg', fileBytes('truncated_a.jpg'))).status).toBe(422);
  for (const path of [`/api/v1/media/${media_id}`, '/nowhere', '/nowhere/else'])
    await (await fetch(server.url + path)).arrayBuffer();
  const photo = fileBytes('photo_a.png').byteLength;
  const downloaded = /^isccd_http_answer_body_bytes_total\{.*GET.*media\/\{media_id\}".*"2xx"/;
  // A client has the whole answer shortly before the server counts it.
  await expect.poll(async () => (await metrics(server.url))(downloaded)).toBe(photo);
  const value = await metrics(server.url);
  expect(value(/^isccd_http_request_duration_seconds_count\{.*POST.*\/iscc".*"2xx"/)).toBe(2);
  expect(value(/^isccd_http_request_duration_seconds_count\{.*POST.*"4xx"/)).toBe(1);
  expect(value(/^isccd_http_request_duration_seconds_bucket\{.*POST.*"4xx".*"\+Inf"/)).toBe(1);
  expect(value(/^isccd_http_request_duration_seconds_sum\{.*POST.*"4xx"/)).toBeGreaterThan(0);
  // All unknown paths share one label value.
  expect(value(/_count\{.*route="none".*"4xx"/)).toBe(2);
  expect(value(/nowhere/)).toBe(0);
  expect(value(/^isccd_codes_uploads_total/)).toBe(2);
  expect(value(/^isccd_codes_upload_bytes_total/)).toBe(photo + 5000);
  expect(value(/^isccd_codes_jobs_total\{.*content image".*"done"/)).toBe(1);
  expect(value(/^isccd_codes_jobs_total\{.*content image".*"refused"/)).toBe(1);
  expect(value(/^isccd_codes_jobs_(waiting|running)/)).toBe(0);
  expect(value(/^process_resident_memory_bytes/)).toBeGreaterThan(1e7);
});
