/**
 * How many files a second a program stores durably that does nothing else: a new folder for each, the file and both folders
 * synced. Arguments: folder, writers, bytes per file, seconds. Prints JSON.
 */
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';

const [folder, writers, bytes, seconds] = process.argv.slice(2);
const body = Buffer.alloc(Number(bytes), 'isccd ');
const start = performance.now();
const end = start + Number(seconds) * 1000;
let done = 0;
await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => store(writer)));
console.log(JSON.stringify({ perSecond: (done * 1000) / (performance.now() - start) }));

async function store(writer) {
  for (let number = 0; performance.now() < end; number += 1) {
    const own = path.join(folder, `${process.pid}-${writer}-${number}`);
    await mkdir(own);
    const file = await open(path.join(own, 'file'), 'wx');
    await file.write(body);
    await Promise.all([file.sync(), syncFolder(own), syncFolder(folder)]);
    await file.close();
    done += 1;
  }
}

async function syncFolder(name) {
  const handle = await open(name);
  await handle.sync().finally(() => handle.close());
}
