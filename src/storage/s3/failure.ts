/** Says in one line why S3 did not serve a request, so that an operator knows what to change. */
import { failureReason } from '../../platform/failure-reason.js';
import { StorageUnavailable } from '../data/unavailable.js';
import { element } from './xml.js';

/** Statuses that a later attempt may not have. */
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);

const CREDENTIALS = 'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or a profile or role';

/** The store does not accept the keys; others may be there by now. */
const REJECTED_KEYS = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'InvalidToken',
  'ExpiredToken',
  'InvalidTokenId',
]);

const MISSING_OBJECTS = new Set(['NoSuchKey', 'NoSuchUpload']);

/** Errors of certificates that Node.js does not trust. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Where the request went, for messages. */
export interface Target {
  readonly bucket: string;
  readonly endpoint: string;
}

/** A response with an error status. */
export class S3Refused extends StorageUnavailable {
  readonly status: number;
  /** Such as `NoSuchBucket`; empty if the response has none. */
  readonly code: string;

  constructor(status: number, body: string, target: Target, isSigned: boolean) {
    const code = element(body, 'Code') ?? '';
    super(reasonOf(status, code, target, isSigned));
    this.status = status;
    this.code = code;
  }

  get isKeyRejected(): boolean {
    return REJECTED_KEYS.has(this.code);
  }

  /** Whether S3 says that the bucket exists, and the object or the upload in parts does not. */
  get isObjectMissing(): boolean {
    return MISSING_OBJECTS.has(this.code);
  }

  get isTemporary(): boolean {
    return TEMPORARY.has(this.status) || this.code === 'RequestTimeout' || this.code === 'SlowDown';
  }
}

/** A request without a response. */
export function unreachable(error: unknown, { endpoint }: Target): StorageUnavailable {
  const parts = error instanceof AggregateError ? error.errors : [error];
  const advice = parts.some((part) => UNTRUSTED.has(codeOf(part)))
    ? '; if an authority of your own signed it, start isccd with NODE_EXTRA_CA_CERTS=FILE, its certificate'
    : '';
  return new StorageUnavailable(`S3 at ${endpoint} is unreachable: ${failureReason(error)}${advice}`, {
    cause: error,
  });
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code);
}

function reasonOf(status: number, code: string, { bucket, endpoint }: Target, isSigned: boolean): string {
  const place = `the bucket ${bucket} at ${endpoint}`;
  if (REJECTED_KEYS.has(code) || code === 'AuthorizationHeaderMalformed') {
    return `${endpoint} rejects the credentials or the region (${code}): check ${CREDENTIALS}, and AWS_REGION`;
  }
  switch (code) {
    case 'NoSuchBucket':
      return `${place} does not exist`;
    case 'RequestTimeTooSkewed':
      return `${endpoint} rejects requests because the clock of this machine is wrong`;
    case 'PermanentRedirect':
    case 'TemporaryRedirect':
      return `${place} is in another region or has another endpoint: check AWS_REGION and AWS_ENDPOINT_URL_S3`;
  }
  const said = code === '' ? `status ${status}` : `status ${status}, ${code}`;
  if (status === 403 || status === 401) {
    return isSigned
      ? `the credentials may not use ${place} (${said})`
      : `${place} needs credentials (${said}): set ${CREDENTIALS}`;
  }
  return `${place} responds with ${said}`;
}
