import { native } from '../src/native.js';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeCollection, makeQueries, unitTexts, writeBatches } from './support/search-data.js';
const work = '/tmp/at100';
await rm(work, { recursive: true, force: true });
await mkdtemp(work);
const all = makeCollection(100000);
const batches = await writeBatches(all, 1000, path.join(work, 'b'));
const queries = makeQueries(all, 2000);
const e = await native.openSearchEngine(`usearch://${work}/ix`);
await e.createIndex(Buffer.from('{"name":"main"}'));
for (const f of batches) { const a = await e.addAssets('main', await readFile(f)); if (a.status !== 200 && a.status !== 201) throw new Error(String(a.body)); }
const q = queries.map(({ units }) => Buffer.from(JSON.stringify({ units: unitTexts(units) })));
const t: number[] = [];
const c0 = process.cpuUsage(); const s = performance.now();
for (let i = 0; i < 4000; i++) { const a = performance.now(); await e.search('main', q[i % q.length] as Buffer, 10, true); t.push(performance.now() - a); }
const c = process.cpuUsage(c0);
t.sort((a, b) => a - b); console.log(t[400], t[2000], t[3600], 'cpu us/query', (c.user + c.system) / 4000, 'q/s', 4000 / (performance.now() - s) * 1000);
await e.close();
