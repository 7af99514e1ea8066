/**
 * The only importer of the native addon. A checkout has it in `native/`, an installed package in the optional
 * dependency for its platform.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AddonMissing } from './platform/addon-missing.js';
import { addonTarget, PLATFORM } from './platform/addon-target.js';

export type * from '../native/index.d.ts';

type Addon = typeof import('../native/index.d.ts');

/** Every `code` of a {@link NativeError}: the `ErrorCode` of `crates/native/src/error.rs`. */
export const NATIVE_ERROR_CODES = [
  /** An argument breaks a rule; the message names both. */
  'INVALID_ARGUMENT',
  /** The object is closed, finished or busy with another call. */
  'INVALID_STATE',
  'NOT_JSON',
  /** The JSON breaks the schema of the request. */
  'SCHEMA_VIOLATION',
  /** The index follows hub logs; requests cannot change it. */
  'READ_ONLY',
  'NOT_FOUND',
  'CONFLICT',
  /** The addon cannot decode the format; another decoder may. */
  'NO_DECODER',
  /** No decoder has this variant of the format. */
  'UNSUPPORTED',
  'ENCRYPTED',
  'DAMAGED',
  /** Reading the file would exceed a limit. */
  'TOO_LARGE',
  /** The file asks for more work than its content can be worth. */
  'TOO_COSTLY',
  'NO_TEXT',
  'IO',
  'STORAGE_FULL',
  /** A newer version has written the data. */
  'NEWER_FORMAT',
  /** Another process uses the folder. */
  'IN_USE',
  /** Too many calls are waiting; a later one may succeed. */
  'BUSY',
  /** The index is being loaded; a later call may succeed. */
  'LOADING',
  /** The index is damaged and was not loaded. */
  'INDEX_DAMAGED',
  'DATA_DAMAGED',
  'TIMEOUT',
  /** A fault of the addon or of its data; the message is for the log only. */
  'INTERNAL',
] as const;

export type NativeErrorCode = (typeof NATIVE_ERROR_CODES)[number];

/**
 * The only error that the addon throws or rejects with on purpose. Arguments of a wrong JavaScript type, and a panic in
 * a synchronous call, give an error with a code of napi instead: both are bugs.
 */
export interface NativeError extends Error {
  readonly code: NativeErrorCode;
  /** Errors of a `SearchEngine`: JSON for the client, a sentence or a list of schema violations. */
  readonly detail?: string;
}

const codes: ReadonlySet<unknown> = new Set(NATIVE_ERROR_CODES);

/** Whether a thrown value is a {@link NativeError}; with `code`, whether it has that code. */
export function isNativeError(error: unknown, code?: NativeErrorCode): error is NativeError {
  if (!(error instanceof Error && 'code' in error)) return false;
  return code === undefined ? codes.has(error.code) : error.code === code;
}

function load(): { readonly addon: Addon; readonly file: string } {
  const target = addonTarget();
  if (target === undefined) throw new AddonMissing(`isccd has no native addon for ${PLATFORM}`);
  const require = createRequire(import.meta.url);
  const candidates = [
    fileURLToPath(new URL(`../native/isccd.${target}.node`, import.meta.url)),
    `@isccd/native-${target}`,
  ];
  const failures: string[] = [];
  for (const candidate of candidates) {
    try {
      return { addon: require(candidate) as Addon, file: require.resolve(candidate) };
    } catch (error) {
      failures.push(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
    }
  }
  const fix = `npm install @isccd/native-${target}`;
  throw new AddonMissing(`isccd's native addon is missing; run: ${fix} (tried: ${failures.join('; ')})`);
}

const { addon, file } = load();

export const native: Addon = addon;

/** Path of the addon. */
export const addonFile: string = file;

/** The library of `crates/tool-host`, next to the addon; `undefined` where it is missing. */
export const toolHostLibrary: string | undefined = [
  path.join(path.dirname(file), `isccd-tool-host.${addonTarget()}.so`),
].find(existsSync);
