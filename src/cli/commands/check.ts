/** `isccd check ...`: whether a configuration is sound, and whether services are well. */
import { Argument, type Command } from 'commander';
import { SERVICE_NAMES } from '../../compose/service-names.js';
import { jsonOption } from '../options.js';

/** Declares the subcommands; what they need is loaded when they are called. */
export function checkCommands(root: Command): void {
  const check = root.command('check').description('check a configuration, or running services');
  check
    .command('config')
    .description('every variable with its value and where that comes from; fails if one is wrong')
    .addArgument(new Argument('[services...]', 'whose variables (default: all)').choices(SERVICE_NAMES))
    .addOption(jsonOption())
    .action(async (services, options) => (await import('./check-config.js')).checkConfig(services, options));
  check
    .command('health')
    .description('ask /healthz and /readyz of services; fails if one is not well')
    .argument('[targets...]', `addresses, or ${SERVICE_NAMES.join(', ')} as configured (default: these four)`)
    .option('--timeout <seconds>', 'longest wait for each answer', '2')
    .addOption(jsonOption())
    .action(async (targets, options) => (await import('./check-health.js')).checkHealth(targets, options));
}
