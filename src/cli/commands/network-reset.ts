/** `isccd network reset`. */
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { LogStore } from '../../network/log-store.js';
import { NETWORK_FACTS, NETWORKS } from '../../network/networks.js';
import { commonVariables } from '../../platform/config/common.js';
import { environment } from '../../platform/config/env.js';
import { readNetworkConfig } from '../../platform/config/network.js';
import { searchVariables } from '../../platform/config/search.js';
import { readVariables } from '../../platform/config/variable.js';
import { openEngine } from '../../services/search/engine/open.js';
import type { Engine } from '../../services/search/engine/port.js';
import { cacheFolder, isPostgres } from '../../services/search/postgres/location.js';
import { CommandFailed } from '../terminal/failure.js';
import { printJson } from '../terminal/lines.js';
import { wholeNumber } from './network.js';

const IN_USE = 'a running service follows the network; stop all services of the database first';

/** Indexes that are open for this command alone. */
interface Opened {
  readonly engine: Engine;
  /** Runs `work` with the index of a network, while no service follows it. */
  alone(index: string, realm: number, work: (logs: LogStore) => Promise<boolean>): Promise<boolean>;
}

export async function reset(hub: string, options: { yes?: boolean; json?: boolean }): Promise<void> {
  const hubId = wholeNumber(hub, 'the hub id', 4095);
  const network = readNetworkConfig(environment())?.network;
  if (options.yes !== true && !(await confirmed(`Remove all that came from hub ${hubId}? [y/N] `))) return;
  const { engine, alone } = await openConfigured();
  try {
    for (const name of network === undefined ? NETWORKS : [network]) {
      const { index, realm } = NETWORK_FACTS[name];
      const hasIndex = await engine.getIndex(index).then(
        () => true,
        () => false,
      );
      if (!hasIndex || !(await alone(index, realm, (logs) => resetHub(logs, hubId)))) continue;
      if (options.json) printJson({ hub: hubId, index, reset: true });
      else process.stdout.write(`hub ${hubId} was removed from ${index}; the next start follows it from 0\n`);
      return;
    }
  } finally {
    await engine.close();
  }
  throw new CommandFailed(`hub ${hubId} is unknown here`);
}

/** @returns whether the hub is known */
async function resetHub(logs: LogStore, hubId: number): Promise<boolean> {
  if (!(await logs.hubs()).some((row) => row.hub === hubId)) return false;
  await logs.reset(hubId);
  return true;
}

async function openConfigured(): Promise<Opened> {
  const values = environment();
  const { indexUri } = readVariables(searchVariables, values);
  const { dataDir } = readVariables(commonVariables, values);
  const location = indexUri ?? `usearch://${path.join(dataDir, 'search')}`;
  if (isPostgres(location)) return openShared(location, cacheFolder(dataDir));
  const engine = await openEngine(location);
  return { engine, alone: async (index, realm, work) => work(await engine.followLogs(index, realm)) };
}

async function openShared(location: string, folder: string): Promise<Opened> {
  const { PostgresEngine } = await import('../../services/search/postgres/engine.js');
  const options = { location, folder, stalenessMs: 0, stalenessSecondsMax: 0, log: undefined };
  const engine = await PostgresEngine.open({ ...options, engine: { loadsInBackground: true } });
  await engine.whenLoaded();
  return {
    engine,
    alone: async (name, realm, work) => {
      const { index, leadership } = await engine.shareLogs(name, realm);
      let isDone = false;
      const isAlone = await leadership.runAlone(async () => {
        await index.current();
        isDone = await work(index);
      });
      if (!isAlone) throw new CommandFailed(IN_USE);
      return isDone;
    },
  };
}

async function confirmed(question: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const ended = once(prompt, 'close').then(() => undefined);
  const reply = await Promise.race([prompt.question(question), ended]);
  prompt.close();
  if (reply === undefined) throw new CommandFailed('no reply on standard input; confirm with --yes');
  return /^y(es)?$/i.test(reply.trim());
}
