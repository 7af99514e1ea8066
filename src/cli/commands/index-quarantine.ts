/** `isccd index quarantine`: the units that the flood guard of a service has set aside. */
import type { QuarantinedUnit } from '../../client/search-api.js';
import type { SearchClient } from '../../client/search-client.js';
import { indexArgument } from '../input/arguments.js';
import { painter } from '../terminal/colour.js';
import { quarantineTable } from '../terminal/index-tables.js';
import { printJson } from '../terminal/lines.js';
import { allPages, type Shown, showsTable } from './index-command.js';
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
    else show(await allPages((after) => page(service, index, after)), options);
  });
}

async function page(service: SearchClient, index: string, after: string | undefined) {
  const { units: items, next } = await service.listQuarantine(index, after);
  return { items, next };
}

function show(units: readonly QuarantinedUnit[], options: Shown): void {
  if (showsTable(options)) process.stdout.write(quarantineTable(units, painter(process.stdout)));
  else for (const unit of units) printJson(unit);
}
