/** What the package gives to programs that embed it. */
export { composeCode, type DecodedCode, decodeCode, decomposeCode, encodeUnit } from './codec.js';
export { codesApp } from './codes/app.js';
export {
  compactIsrc,
  ISRC_SCHEMA,
  type IsrcSeed,
  isrcSeed,
  linkedIsrc,
  parseIsrc,
  SeedInvalid,
  seedDataUrl,
} from './codes/seed/isrc.js';
export { codesVariables } from './config/codes.js';
export { commonVariables } from './config/common.js';
export { environment } from './config/env.js';
export { readResolverConfig, resolverVariables } from './config/resolver.js';
export { searchVariables } from './config/search.js';
export { readVariables } from './config/variable.js';
export { startServer } from './http/server.js';
export { loadTransport } from './http/transport/load-transport.js';
export { createLogger } from './observe/log.js';
export { resolverApp } from './resolver/app.js';
export { searchApp } from './search/app.js';
export { generator, version } from './version.js';
