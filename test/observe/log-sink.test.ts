/** A log that cannot be written costs log lines, never a request or a clean exit. */
import { closeSync, openSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LogSink } from '../../src/platform/observe/log-sink.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { fill, smallDisk } from '../faults/support/small-disk.js';
import { type ServedProcess, type ServeOptions, serve } from '../support/serve.js';

/** Starts codes with metrics on its own address. */
async function serveCodes(options: ServeOptions): Promise<ServedProcess> {
  const folder = await temporaryFolder();
  const env = {
    CODEWEB_PORT: '0',
    CODEWEB_MEDIA_PATH: folder,
    CODEWEB_LOG_LEVEL: 'info',
    ISCCD_METRICS_PUBLIC: 'true',
  };
  const served = await serve(['codes'], { cwd: folder, env, ...options });
  onTestFinished(() => served.kill());
  return served;
}

async function requests(url: string, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5000) });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
}

async function linesLost(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^isccd_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
}

const unwritable = process.platform !== 'linux';

test.skipIf(unwritable)('serves and stops with stderr on /dev/full', async () => {
  const stderr = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(stderr));
  const served = await serveCodes({ stderr });
  await requests(served.urls.codes, 50);
  await expect.poll(() => linesLost(served.urls.codes)).toBeGreaterThanOrEqual(50);
  await served.stop();
});

test('serves and stops after the reader of its log has closed the pipe', async () => {
  const served = await serveCodes({});
  await requests(served.urls.codes, 1);
  served.closeStderr();
  await requests(served.urls.codes, 50);
  await expect.poll(() => linesLost(served.urls.codes)).toBeGreaterThanOrEqual(49);
  await served.stop();
});

test.skipIf(unwritable)('serves on a full log disk, and logs again once there is space', async (context) => {
  const disk = await smallDisk(1, context);
  const filler = path.join(disk, 'filler');
  await fill(filler, 4);
  const file = path.join(disk, 'log');
  const stderr = openSync(file, 'a');
  onTestFinished(() => closeSync(stderr));
  const served = await serveCodes({ stderr });
  await requests(served.urls.codes, 500);
  await expect.poll(() => linesLost(served.urls.codes)).toBeGreaterThan(0);
  await rm(filler);
  // The first line may follow a fragment of one that the full disk cut.
  await requests(served.urls.codes, 21);
  await served.stop();
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.slice(-21).map((line) => JSON.parse(line).msg)).toEqual([
    ...Array.from({ length: 20 }, () => 'request'),
    'stopped',
  ]);
});

test('counts the lines of blocks that cannot be written', async () => {
  const folder = await temporaryFolder();
  const fd = openSync(path.join(folder, 'read-only'), 'w');
  closeSync(fd);
  const sink = new LogSink(fd);
  sink.write('a\nb\n');
  await expect.poll(() => sink.linesLost).toBe(2);
  sink.flushSync('c\n');
  expect(sink.linesLost).toBe(3);
});
