/** Requests made from the OpenAPI documents of search, store and resolver, as `test/codes/http/openapi.test.ts` makes for codes. */
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TRANSPORTS } from '../codes/support/server.js';
import { startAllServices } from '../support/all-services.js';
import { fuzz, schemathesis } from '../support/schemathesis.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { torture } from '../support/torture.js';

const { size: EXAMPLES, minutes, seed, report } = torture('schema');
/** All services run; the others are not fuzzed at the same time. */
const SERVICES = [
  // Each query of a list gets its own error, also for a `limit` that the schema forbids. A renamed index has no old name,
  // which the check of created resources takes for a loss.
  // Assets of the reference's clients may have booleans and numeric strings as offsets and sizes of simprints.
  { name: 'search', exclude: ['searchSeveral', 'renameIndex'], lenient: ['addAssets'] },
  // Schemathesis can't make bodies of the type application/c2pa.
  { name: 'store', exclude: ['storeManifest'], lenient: [] },
  { name: 'resolver', exclude: [], lenient: [] },
] as const;

beforeAll(schemathesis, INSTALL_MAX_MS);

describe.each(TRANSPORTS)('over %s', (transport) => {
  test.each(SERVICES)(
    '$name conforms to its OpenAPI document',
    {
      timeout: 150_000 + EXAMPLES * 10_000,
    },
    async ({ name, exclude, lenient }) => {
      const services = await startAllServices({
        ISCCD_TRANSPORT: transport,
        MSTORE_RATE_WRITE: '1000000/s',
        MSTORE_RATE_READ: '1000000/s',
      });
      onTestFinished(() => services.stop());
      const url = services.url[name];
      const { passed, output, requests } = await fuzz({
        url,
        transport,
        examples: EXAMPLES,
        minutes,
        seed,
        exclude,
        lenient,
      });
      expect(passed, output).toBe(true);
      expect(requests).toBeGreaterThan(100);
      report({ tried: requests, survived: requests, worst: `${name}, ${transport}` });
    },
  );
});
