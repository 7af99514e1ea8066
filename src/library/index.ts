/**
 * The public API of the package for programs that embed it. `startServices` starts one service or all of them in this
 * process, as `isccd serve` does; the `...App` functions build a single service for `startServer`.
 */
// First: other modules do not load on old versions.
import './node-version.js';

export type { Bytes } from '../client/arguments.js';
export { InvalidArgument } from '../client/errors.js';
export { type StoreStart, storeConfig } from '../compose/first-run.js';
export { SERVICE_NAMES, type ServiceName } from '../compose/service-names.js';
export { type OnStarted, type RunningServices, type StartOptions, startServices } from '../compose/start.js';
export { StartFailed } from '../compose/start-failed.js';
export { type StoreApp, storeApp } from '../compose/store.js';
export { type RunningServer, startServer } from '../http/server.js';
export { loadTransport } from '../http/transport/load-transport.js';
export type { DecodedCode } from '../iscc/codec.js';
export {
  type Explanation,
  isNativeError,
  type MetaCode,
  type MetaInput,
  type NativeError,
  type NativeErrorCode,
  type TextCode,
  type UnitComparison,
  type UnitExplanation,
} from '../native.js';
export { codesVariables } from '../platform/config/codes.js';
export { commonVariables } from '../platform/config/common.js';
export { environment } from '../platform/config/env.js';
export { readResolverConfig, resolverVariables } from '../platform/config/resolver.js';
export { searchVariables } from '../platform/config/search.js';
export { storeVariables } from '../platform/config/store.js';
export { readStoreSettings, type StoreSettings } from '../platform/config/store-settings.js';
export { ConfigurationInvalid, type Environment, readVariables } from '../platform/config/variable.js';
export { createLogger } from '../platform/observe/log.js';
export { generator, version } from '../platform/version.js';
export { codesApp } from '../services/codes/app.js';
export { CodesRefusal, type ErrorCode as CodesErrorCode, Unavailable } from '../services/codes/errors.js';
export { compactSeed, linkedSeed, type Seed } from '../services/codes/seed/form.js';
export { type IsbnSeed, isbnSeed, parseIsbn } from '../services/codes/seed/isbn.js';
export {
  compactIsrc,
  ISRC_SCHEMA,
  type IsrcSeed,
  isrcSeed,
  linkedIsrc,
  parseIsrc,
  SeedInvalid,
  seedDataUrl,
} from '../services/codes/seed/isrc.js';
export { parseStm, type StmSeed, stmSeed } from '../services/codes/seed/stm.js';
export { type InProcessServices, resolverApp } from '../services/resolver/app.js';
export { type SearchApp, searchApp } from '../services/search/app.js';
export {
  type ImportCount,
  type ImportSource,
  type ImportStep,
  importFrom,
} from '../services/search/import.js';
export { InProcessSearch } from '../services/search/in-process.js';
export type { Integers } from './arguments.js';
export { type CodedFile, codeFile } from './code-file.js';
export { composeCode, decodeCode, decomposeCode, encodeUnit } from './codec.js';
export type { CodeFileOptions } from './file-arguments.js';
export { type SumCode, SumHasher, type SumOptions } from './sum-hasher.js';
export {
  audioCode,
  compare,
  dataCode,
  decompose,
  explain,
  imageCode,
  instanceCode,
  isccCode,
  metaCode,
  mixedCode,
  simprints,
  textClean,
  textCode,
  textCollapse,
  videoCode,
} from './units.js';
