/** A registry with one package, as npm reads it. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';

export interface PublishedPackage {
  readonly manifest: Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string };
  readonly tarball: string;
}

/** Serves the package; `damage` changes the bytes of its tarball after the digest was made. Returns the URL. */
export async function startPackageRegistry(
  { manifest, tarball }: PublishedPackage,
  damage: (bytes: Buffer) => Buffer = (bytes) => bytes,
): Promise<string> {
  const bytes = await readFile(tarball);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const file = `/files/${path.basename(tarball)}`;
  const server = createServer((request, response) => {
    const { host } = request.headers;
    const { name, version } = manifest;
    const dist = { integrity, tarball: `http://${host}${file}` };
    const document = {
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifest, dist } },
    };
    if (request.url === file) response.end(damage(bytes));
    else if (decodeURIComponent(request.url ?? '') === `/${name}`)
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(document));
    else response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"not found"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
