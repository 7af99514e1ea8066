/** Metadata that a client sends next to a file, so that the Meta-Code depends on it and not on the file name. */
import { z } from 'zod';
import { present } from '../../platform/present.js';
import { canonicalize, type Json } from '../../platform/signing/jcs.js';
import { CodesRefusal } from './errors.js';
import type { GivenMetadata } from './pipeline/jobs.js';
import { submittedFields } from './schema.js';

export type UploadMetadataHeaders = Readonly<
  Partial<
    Record<
      'x-upload-name' | 'x-upload-description' | 'x-upload-meta' | 'x-upload-metadata',
      string | undefined
    >
  >
>;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const givenMetadata = z.object(submittedFields);

/**
 * The fields in the headers: one per header, or all as one JSON object. Each value is the base64 of UTF-8. `meta` may
 * also be a Data-URL as it is, or the base64 of a JSON object. @throws {CodesRefusal} `REQUEST_INVALID`
 */
export function metadataFromHeaders(headers: UploadMetadataHeaders): GivenMetadata | undefined {
  const object = headers['x-upload-metadata'];
  const single = {
    name: decoded('X-Upload-Name', headers['x-upload-name']),
    description: decoded('X-Upload-Description', headers['x-upload-description']),
    meta: dataUrl(headers['x-upload-meta']),
  };
  const given = { ...(object && jsonObject(decoded('X-Upload-Metadata', object))), ...present(single) };
  if (Object.keys(given).length === 0) return undefined;
  const parsed = givenMetadata.safeParse(given);
  if (parsed.success) return present(parsed.data);
  const reasons = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new CodesRefusal('REQUEST_INVALID', { reason: reasons.join('; ') });
}

function decoded(header: string, value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (!BASE64.test(value)) throw invalid(header, 'is not base64');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'base64'));
  } catch {
    throw invalid(header, 'is not UTF-8 encoded');
  }
}

/** The canonical JSON of an object is what the reference makes of one. */
function dataUrl(value: string | undefined): string | undefined {
  if (value?.startsWith('data:')) return value;
  const text = decoded('X-Upload-Meta', value);
  if (text === undefined || !text.trimStart().startsWith('{')) return text?.trim();
  const json = parsed('X-Upload-Meta', text);
  return `data:application/json;base64,${Buffer.from(canonicalize(json as Json)).toString('base64')}`;
}

function jsonObject(text = ''): object {
  const value = parsed('X-Upload-Metadata', text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('X-Upload-Metadata', 'is not a JSON object');
  }
  return value;
}

function parsed(header: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(header, 'is not JSON');
  }
}

function invalid(header: string, problem: string): CodesRefusal {
  return new CodesRefusal('REQUEST_INVALID', { reason: `${header} ${problem}.` });
}
