/** `isccd check ...`: checks a configuration or the health of services. */
import { Argument, type Command } from 'commander';
import { SERVICE_NAMES } from '../../compose/service-names.js';
import { jsonOption } from '../options.js';

/** Declares the subcommands. Their modules are loaded when a command runs. */
export function checkCommands(root: Command): void {
  const check = root.command('check').description('check the configuration or running services');
  check
    .command('config')
    .description('show every variable with its value and origin; fails if any is invalid')
    .addArgument(new Argument('[services...]', 'services to check (default: all)').choices(SERVICE_NAMES))
    .addOption(jsonOption())
    .action(async (services, options) => (await import('./check-config.js')).checkConfig(services, options));
  check
    .command('health')
    .description('query /healthz and /readyz of services; fails if any is unhealthy')
    .argument('[targets...]', `URLs or configured services: ${SERVICE_NAMES.join(', ')} (default: all four)`)
    .option(
      '--started',
      'the services that isccd serve has started on this machine, as the same user and with the same TMPDIR',
    )
    .option('--timeout <seconds>', 'time-out of each request', '2')
    .addOption(jsonOption())
    .action(async (targets, options) => (await import('./check-health.js')).checkHealth(targets, options));
}
