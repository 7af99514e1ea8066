#!/usr/bin/env node
/**
 * The `isccd` command. Modules of subcommands are loaded on demand, so that `isccd explain` does not load those of
 * `isccd serve`.
 */
import { Argument, Command, CommanderError, Option } from 'commander';
import { SERVICE_NAMES, type ServiceName } from '../compose/service-names.js';
import { generator } from '../version.js';
import { checkCommands } from './commands/check.js';
import { completionCommand } from './commands/completion.js';
import { dataCommands } from './commands/data-commands.js';
import { networkCommands } from './commands/network-commands.js';
import { storeCommands } from './commands/store.js';
import { completeHelp, HELP_STYLE } from './help/help.js';
import { alwaysJsonOption, jsonOption } from './options.js';
import { painter } from './terminal/colour.js';
import { asFailure, CommandFailed, EXIT_CONFIGURATION } from './terminal/failure.js';

/** Defines the command. Results go to standard output, everything else to standard error. */
function program(): Command {
  const root = new Command('isccd')
    .description('Content-identification server: ISCC codes (ISO 24138), similarity search, C2PA manifests')
    .version(generator)
    .configureHelp(HELP_STYLE)
    .exitOverride()
    .showHelpAfterError('(isccd --help shows the commands)');

  root
    .command('serve')
    .description('start services (default: all)')
    .addArgument(new Argument('[services...]', 'services to start (default: all)').choices(SERVICE_NAMES))
    .option('--env', 'print all environment variables with their defaults, as a .env file, and exit')
    .option('--dev', 'development mode: restart when the program or .env changes')
    .addOption(jsonOption())
    .action(async (services: ServiceName[], options) =>
      (await import('./commands/serve.js')).serve(services, options),
    );
  codeCommands(root);
  root
    .command('demo')
    .description('run all services once in a temporary folder: create a code, sign, store, resolve, fetch')
    .argument('[image]', 'image file (default: a generated image)')
    .addOption(jsonOption())
    .action(async (image: string | undefined, options) =>
      (await import('./commands/demo.js')).demo(image, options),
    );
  indexCommands(root);
  storeCommands(root);
  checkCommands(root);
  dataCommands(root);
  networkCommands(root);
  completionCommand(root);
  const seed = root.command('seed').description('seed metadata for Meta-Codes');
  seed
    .command('isrc')
    .description('validate the metadata of a recording and print it as the Data-URL for `meta`')
    .argument('<file>', 'JSON file, or - for standard input')
    .addOption(new Option('--form <form>', 'convert to this form').choices(['compact', 'json-ld']))
    .addOption(jsonOption())
    .action(async (file: string, options) => (await import('./commands/seed.js')).seedIsrc(file, options));
  completeHelp(root);
  return root;
}

/** Commands that work on files and codes, without a server. */
function codeCommands(root: Command): void {
  root
    .command('code')
    .description('create the ISCC-CODEs of files, one line of JSON per file')
    .argument('<files...>', 'files of any type; text, images, audio and video get all units')
    .option('--no-granular', 'omit simprints of text')
    .option('--semantic', 'add the experimental Semantic-Code')
    .option('--no-thumbnail', 'omit the thumbnail')
    .option('--jobs <n>', 'files to process concurrently (default: number of CPU cores)')
    .addOption(alwaysJsonOption())
    .action(async (files: string[], options) => (await import('./commands/code.js')).code(files, options));
  root
    .command('explain')
    .description('decode codes: units, digests and other forms')
    .argument('<codes...>', 'ISCC-CODE, ISCC-UNIT or ISCC-ID, also in multiformat form')
    .addOption(jsonOption())
    .action(async (codes: string[], options) =>
      (await import('./commands/explain.js')).explain(codes, options),
    );
  root
    .command('compare')
    .description('compare two codes, unit by unit')
    .argument('<a>', 'ISCC-CODE or ISCC-UNIT')
    .argument('<b>', 'ISCC-CODE or ISCC-UNIT')
    .addOption(jsonOption())
    .action(async (a: string, b: string, options) =>
      (await import('./commands/compare.js')).compare(a, b, options),
    );
  root
    .command('simprint')
    .description('create simprints of plain text')
    .argument('<file>', 'UTF-8 text file, or - for standard input')
    .addOption(alwaysJsonOption())
    .action(async (file: string) => (await import('./commands/simprint.js')).simprint(file));
}

/** `isccd index ...`: every subcommand works on a local folder or on a service. */
function indexCommands(root: Command): void {
  const index = root.command('index').description('similarity indexes: create, fill, search');
  const add = (name: string, description: string) =>
    index
      .command(name)
      .description(description)
      .requiredOption('--at <where>', 'folder, lmdb:///path, usearch:///path, or URL of a service')
      .option('--api-key <key>', 'API key of the service')
      .addOption(alwaysJsonOption());
  const actions = () => import('./commands/index-command.js');
  add('create <name>', 'create an index').action(async (name, where) =>
    (await actions()).create(name, where),
  );
  add('list', 'list indexes').action(async (where) => (await actions()).list(where));
  add('rm <name>', 'delete an index and its assets').action(async (name, where) =>
    (await actions()).remove(name, where),
  );
  add('add <name> <files...>', 'add entries from JSON, JSON lines, *.iscc.json, or - for standard input')
    .option('--make-ids', 'derive ISCC-IDs for entries without one, from code and file name')
    .action(async (name, files, where) => (await actions()).add(name, files, where));
  add('search <name> <code>', 'find assets similar to an ISCC-CODE')
    .option('--limit <n>', 'maximum number of matches')
    .action(async (name, code, options) => (await actions()).search(name, code, options));
  add('get <name> <iscc-id>', 'print an entry').action(async (name, id, where) =>
    (await actions()).get(name, id, where),
  );
}

// A closed pipe (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') fail(new CommandFailed(`standard output can't be written: ${error.message}`));
  process.exit();
});
// Nowhere left to report it.
process.stderr.on('error', () => undefined);

try {
  await program().parseAsync();
} catch (error) {
  const failure = asFailure(error);
  if (failure !== undefined) fail(failure);
  // Commander has already printed the help or the invalid argument.
  else if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_CONFIGURATION;
  else throw error;
}

function fail({ message, exitCode }: CommandFailed): void {
  process.stderr.write(`${painter(process.stderr)('red', 'isccd:')} ${message}\n`);
  process.exitCode = exitCode;
}
