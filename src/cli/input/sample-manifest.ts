/** Test manifests for a store: of a real file, signed with a temporary certificate. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ISCC_ALGORITHM } from '../../c2pa/documents.js';
import { native } from '../../native.js';
import { HEAD_BYTES, mediaTypeOf } from '../../services/codes/pipeline/addon-calls.js';
import { CommandFailed, reason, reasons } from '../terminal/failure.js';
import { resultOf, withPipeline } from './local-pipeline.js';

const THUMBNAIL_PIXELS = 256;

export interface Asset {
  readonly name: string;
  readonly bytes: Buffer;
}

/** `isccd store sample FILE`: writes the manifest and prints the soft binding to query for. */
export async function sample(file: string, options: { output?: string }): Promise<void> {
  const name = path.basename(file);
  const output = options.output ?? `${name}.c2pa`;
  const { iscc, value } = await bindingOf(file);
  try {
    await writeFile(output, await signedManifest({ name, bytes: await readFile(file) }, iscc, value));
  } catch (error) {
    throw new CommandFailed(reason(error));
  }
  const line = { manifest: output, iscc, alg: ISCC_ALGORITHM, value: value.toString('base64') };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** A bare Manifest Store with one soft binding, signed by an untrusted signer. */
export async function signedManifest({ name, bytes }: Asset, iscc: string, value: Buffer): Promise<Buffer> {
  const { chainPem, keyPem } = await native.makeTestCertificate('es256', 'isccd demo');
  const { mediatype, mode } = mediaTypeOf(name, bytes.subarray(0, HEAD_BYTES));
  const thumbnail = mode === 'image' ? await thumbnailOf(bytes) : undefined;
  return native.signManifest({
    chainPem,
    keyPem,
    algorithm: 'es256',
    title: `${name} ${iscc}`,
    format: mediatype,
    assetHash: createHash('sha256').update(bytes).digest(),
    bindings: [{ alg: ISCC_ALGORITHM, value }],
    ...(thumbnail && { thumbnail }),
  });
}

/** A small JPEG; `undefined` if the picture can't be decoded. */
async function thumbnailOf(bytes: Buffer): Promise<Buffer | undefined> {
  try {
    const { default: sharp } = await import('sharp');
    const size = { width: THUMBNAIL_PIXELS, height: THUMBNAIL_PIXELS, fit: 'inside' } as const;
    return await sharp(bytes).rotate().resize(size).jpeg().toBuffer();
  } catch {
    return undefined;
  }
}

async function bindingOf(file: string): Promise<{ iscc: string; value: Buffer }> {
  try {
    const { iscc, units } = await withPipeline({ files: 1 }, ({ pipeline }) =>
      resultOf(
        pipeline,
        { path: file, filename: path.basename(file) },
        { granular: false, thumbnail: false },
      ),
    );
    return { iscc, value: native.encodeSeq([...units]) };
  } catch (error) {
    throw error instanceof CommandFailed ? error : new CommandFailed(`${file}: ${reasons(error)}`);
  }
}
