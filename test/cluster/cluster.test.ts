/**
 * The topology of `compose.cluster.yaml` on real engines under mixed load from the typed client: rolling restarts, and
 * kill -9 of instances, a volume server, Redis and the primary. Clients see 2xx, 429, and 503 with `Retry-After`; limits
 * are exact while Redis runs; at the end, everything acknowledged is there through every instance.
 *
 * `npm run torture -- cluster` repeats the faults in random order for an hour.
 */
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { hubEnvironment } from '../store/declarations/support.js';
import { HubServer } from '../support/hub-server.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { Random, torture } from '../support/torture.js';
import { Cluster } from './support/cluster.js';
import { FAULTS, type Stage, untilServed } from './support/faults.js';
import { Ledger } from './support/ledger.js';
import { LimitProbe } from './support/limits.js';
import { clientsOver, INDEX, Load } from './support/load.js';
import { expectDeclared, expectKept } from './support/verify.js';
import { Watcher } from './support/watcher.js';

const { size: SECONDS, seed, report } = torture('cluster');
const LANES = 6;
const DOMAIN = 'isccd.test';
/** Longest time of one round of faults on a busy machine, and of the check at the end. */
const ROUND_MS_MAX = 600_000;
const secret = () => randomBytes(16).toString('hex');
const API_KEY = secret();

/** Of `.env`. */
function variables(): Record<string, string> {
  return {
    APP_SECRET_KEY: secret(),
    INDEXSVC_API_SECRET: API_KEY,
    AWS_SECRET_ACCESS_KEY: secret(),
    POSTGRES_PASSWORD: secret(),
    REDIS_PASSWORD: secret(),
    ISCCD_DOMAIN: DOMAIN,
    ISCCD_STORE_URL: `http://store.${DOMAIN}:8080`,
    ISCCD_OPERATORS: '127.0.0.0/8',
  };
}

/** Every fault once, in the listed order in the first round; then in random order until the time is over. */
async function breakThings(stage: Stage): Promise<number> {
  const end = performance.now() + SECONDS * 1000;
  let faults = 0;
  for (let round = 0; round === 0 || performance.now() < end; round += 1) {
    const order = Object.entries(FAULTS);
    if (round > 0) order.sort(() => stage.random.below(3) - 1);
    for (const [, fault] of order) {
      await fault(stage);
      faults += 1;
    }
  }
  return faults;
}

test('a cluster that is restarted and killed part by part loses nothing', {
  timeout: INSTALL_MAX_MS + SECONDS * 2000 + 2 * ROUND_MS_MAX,
}, async () => {
  const hub = new HubServer();
  const hubVariables = hubEnvironment(await hub.listen());
  onTestFinished(() => hub.close());
  const { MSTORE_HUB_URL = '', MSTORE_SECKEY = '', ...storeFile } = hubVariables;
  const cluster = await Cluster.start({
    variables: { ...variables(), MSTORE_HUB_URL, MSTORE_SECKEY },
    files: {
      codes: { CODEWEB_STORAGE_EXPIRY: '86400', CODEWEB_MAX_WORKERS: '1' },
      store: storeFile,
    },
  });
  onTestFinished(() => cluster.stop());
  const ledger = new Ledger();
  const random = new Random(seed);
  const agent = cluster.client('127.0.0.1');
  await clientsOver(cluster, agent, API_KEY).search.createIndex(INDEX);
  await agent.destroy();
  const watcher = await Watcher.start(cluster, API_KEY);

  const load = new Load({ cluster, ledger, seed, apiKey: API_KEY });
  const limits = new LimitProbe(cluster, ledger, seed, () => load.isCalm);
  load.start(LANES);
  limits.start();
  const stage: Stage = { cluster, load, ledger, limits, random };
  const faults = await untilServed(stage)
    .then(() => breakThings(stage))
    .finally(() => Promise.all([load.stop(), limits.stop()]));

  expect(ledger.violations).toEqual([]);
  expect(ledger.inexact).toEqual([]);
  expect(ledger.exactLimits).toBeGreaterThan(0);
  await expectKept(cluster, ledger, API_KEY);
  await expectDeclared(cluster, ledger, hub);
  expect(await watcher.problems(ledger)).toEqual([]);
  const { acknowledged, unavailable, truncated, exactLimits } = ledger;
  const worst = `0 lost of ${acknowledged}, ${watcher.count} reports of a watch; ${unavailable.length} responses with 503, ${truncated} incomplete downloads, ${exactLimits} exact limits`;
  report({ tried: faults, survived: faults, worst });
});
