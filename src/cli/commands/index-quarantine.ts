/** `isccd index quarantine`: the units that the flood guard of a service has set aside. */
import type { QuarantinedUnit } from '../../client/search-api.js';
import type { SearchClient } from '../../client/search-client.js';
import { indexArgument } from '../input/arguments.js';
import { painter } from '../terminal/colour.js';
import { quarantineTable } from '../terminal/index-tables.js';
import { printJson } from '../terminal/lines.js';
import { type Shown, showsTable } from './index-command.js';
import { using } from './index-watch.js';

export interface QuarantineOptions extends Shown {
  readonly release?: string;
  readonly confirm?: string;
}

/** Prints the units of an index; with an option, decides on one of them and prints it. */
export async function quarantine(name: string, options: QuarantineOptions): Promise<void> {
  const index = indexArgument(name);
  const { release, confirm } = options;
  await using(options, async (service) => {
    if (release !== undefined) printJson(await service.decideQuarantine(index, release, 'released'));
    else if (confirm !== undefined) printJson(await service.decideQuarantine(index, confirm, 'confirmed'));
    else show(await allOf(service, index), options);
  });
}

async function allOf(service: SearchClient, index: string): Promise<readonly QuarantinedUnit[]> {
  const all: QuarantinedUnit[] = [];
  for (let after: string | undefined, isDone = false; !isDone; ) {
    const { units, next } = await service.listQuarantine(index, after);
    all.push(...units);
    after = next ?? undefined;
    isDone = next === null;
  }
  return all;
}

function show(units: readonly QuarantinedUnit[], options: Shown): void {
  if (showsTable(options)) process.stdout.write(quarantineTable(units, painter(process.stdout)));
  else for (const unit of units) printJson(unit);
}
