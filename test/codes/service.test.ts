/** The use cases where their parts fail. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Unavailable } from '../../src/services/codes/errors.js';
import { Pipeline } from '../../src/services/codes/pipeline/pipeline.js';
import { CodesService } from '../../src/services/codes/service.js';
import { ClientHasher } from '../../src/services/codes/uploads/client-hash.js';
import { Records } from '../../src/services/codes/uploads/records.js';
import { FileBlobs } from '../../src/storage/blobs/files.js';
import { StorageFull } from '../../src/storage/data/full.js';
import { temporaryFolder } from './support/folder.js';
import { WORKER_ENTRY } from './support/server.js';

/** A service whose records fail to write with an error. */
async function serviceWith(error: Error): Promise<{ service: CodesService; files: () => Promise<string[]> }> {
  const folder = await temporaryFolder();
  const records = await Records.open(path.join(folder, 'records'));
  records.add = () => Promise.reject(error);
  const pipeline = new Pipeline(
    {
      workers: 1,
      fallback: true,
      compat: '0.9.7',
      readBytes: 65_536,
      models: { runtime: '' },
      places: { work: path.join(folder, 'work') },
      jobSecondsMax: 9,
    },
    {},
    WORKER_ENTRY,
  );
  onTestFinished(async () => {
    await pipeline.close();
    await records.close();
  });
  const service = new CodesService(
    {
      uploadBytesMax: 1000,
      privateFiles: true,
      expirySeconds: 60,
      granular: false,
      semantic: false,
      fallbackSum: false,
      experimental: false,
      compat: '0.9.7',
    },
    { blobs: await FileBlobs.open(folder), records, clients: await ClientHasher.open(folder), pipeline },
  );
  return { service, files: () => readdir(path.join(folder, 'files')) };
}

const upload = () => ({
  sentFilename: { form: 'text', value: 'a.bin' } as const,
  contentType: undefined,
  clientAddress: '192.0.2.1',
  body: (async function* () {
    yield Buffer.from('some bytes');
  })(),
  signal: new AbortController().signal,
});

test('removes the file if its record can not be written', async () => {
  const { service, files } = await serviceWith(new StorageFull());
  await expect(service.upload(upload())).rejects.toThrow(StorageFull);
  await expect(service.uploadAndProcess(upload(), {})).rejects.toThrow(StorageFull);
  expect(await files()).toEqual([]);
});

test('keeps the file if its record may still be written', async () => {
  const { service, files } = await serviceWith(new Unavailable('RECORDS_UNAVAILABLE'));
  await expect(service.upload(upload())).rejects.toThrow(Unavailable);
  await expect(service.uploadAndProcess(upload(), {})).rejects.toThrow(Unavailable);
  expect(await files()).toHaveLength(2);
});
