/** Outcomes of rehearsed changes. */
import type { ChangeOutcome, NativeError, NativeErrorCode } from '../../../native.js';
import { present } from '../../../platform/present.js';

/** @throws {NativeError} as the engine would */
export function responseOf({ response, code, message, detail }: ChangeOutcome): Buffer {
  if (response !== undefined) return response;
  throw Object.assign(new Error(message), present({ code: code as NativeErrorCode, detail })) as NativeError;
}
