/** Recorded vectors of the soft-binding services. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export function vectors<T>(name: string): T {
  const file = path.resolve(import.meta.dirname, `../fixtures/c2pa/vectors/${name}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
