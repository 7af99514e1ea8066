/** `isccd network ...`: the hubs that a node follows. */
import { type Command, Option } from 'commander';
import { jsonOption } from '../options.js';

const VERIFY_HELP = `
Compares the stored state of every hub: leaf hashes with the accepted checkpoint, its signature,
counts with the cursor, claims with assets. DIR is a search folder or a backup; without it, the
folder of the configured service. The service may run. Each difference is one line.`;

const CHECK_HELP = `
DIR has the files of a log at their paths: checkpoint, tile/entries/…, tile/1/…. Nothing is fetched.`;

/** Declares the commands; their code is loaded when they are called. */
export function networkCommands(root: Command): void {
  const network = root.command('network').description('hubs of the ISCC network that this node follows');
  const actions = () => import('./network.js');
  network
    .command('status')
    .description('state, cursor and alarm of each hub')
    .option('--url <url>', 'address of a search service (default: the configured one)')
    .addOption(jsonOption())
    .action(async (options) => (await actions()).status(options));
  network
    .command('verify')
    .description('check the stored state of all hubs')
    .argument('[dir]', 'search folder or backup (default: the configured folder)')
    .option('--online <n>', 'also fetch this many random bundles per hub and compare them')
    .addOption(jsonOption())
    .addHelpText('after', VERIFY_HELP)
    .action(async (directory, options) => (await actions()).verify(directory, options));
  network
    .command('check')
    .description('verify a log on disk')
    .argument('<dir>', 'folder of the log')
    .requiredOption('--origin <origin>', 'name of the log, e.g. iscc.id/log')
    .requiredOption('--key <keys...>', 'trusted keys, as multibase texts')
    .requiredOption('--hub-id <n>', 'hub id, 0 to 4095')
    .addOption(
      new Option('--network <name>', 'network').choices(['mainnet', 'testnet']).makeOptionMandatory(),
    )
    .option('--assets', 'also judge all entries')
    .addOption(jsonOption())
    .addHelpText('after', CHECK_HELP)
    .action(async (directory, options) => (await actions()).check(directory, options));
  network
    .command('reset')
    .description('remove all that came from a hub; keep its evidence; stop the service first')
    .argument('<hub>', 'hub id')
    .option('--yes', 'do not ask')
    .addOption(jsonOption())
    .action(async (hub, options) => (await import('./network-reset.js')).reset(hub, options));
}
