/** Every variable that the program reads. */
import { codesVariables } from './codes.js';
import { commonVariables } from './common.js';
import { networkVariables } from './network.js';
import { resolverVariables } from './resolver.js';
import { s3Variables } from './s3.js';
import { searchVariables } from './search.js';
import { storeVariables } from './store.js';
import type { Variable } from './variable.js';

export const ALL_VARIABLES: readonly Variable[] = [
  commonVariables,
  codesVariables,
  searchVariables,
  networkVariables,
  storeVariables,
  resolverVariables,
  s3Variables,
].flatMap((variables) => Object.values<Variable>(variables));
