#!/usr/bin/env node
/**
 * The `isccd` command. Subcommands are loaded when they are called: `isccd explain` must not wait for
 * what `isccd serve` needs.
 */
import { Argument, Command, CommanderError, Option } from 'commander';
import { SERVICE_NAMES, type ServiceName } from '../compose/service-names.js';
import { generator } from '../version.js';
import { checkCommands } from './commands/check.js';
import { completionCommand } from './commands/completion.js';
import { dataCommands } from './commands/data-commands.js';
import { storeCommands } from './commands/store.js';
import { completeHelp, HELP_STYLE } from './help/help.js';
import { alwaysJsonOption, jsonOption } from './options.js';
import { painter } from './terminal/colour.js';
import { asFailure, CommandFailed, EXIT_CONFIGURATION } from './terminal/failure.js';

/** Builds the command; what a subcommand prints goes to stdout, everything else to stderr. */
function program(): Command {
  const root = new Command('isccd')
    .description('Content-identification server: ISCC codes (ISO 24138), similarity search, C2PA manifests')
    .version(generator)
    .configureHelp(HELP_STYLE)
    .exitOverride()
    .showHelpAfterError('(isccd --help shows the commands)');

  root
    .command('serve')
    .description('start services (default: all that are built in)')
    .addArgument(new Argument('[services...]', 'which (default: all)').choices(SERVICE_NAMES))
    .option('--env', 'print every environment variable with its default, and stop')
    .addOption(jsonOption())
    .action(async (services: ServiceName[], options) =>
      (await import('./commands/serve.js')).serve(services, options),
    );
  codeCommands(root);
  root
    .command('demo')
    .description(
      'run the circle once, on free ports and in a folder of its own: code, sign, store, resolve, fetch',
    )
    .argument('[image]', 'image file; without it one is made')
    .addOption(jsonOption())
    .action(async (image: string | undefined, options) =>
      (await import('./commands/demo.js')).demo(image, options),
    );
  indexCommands(root);
  storeCommands(root);
  checkCommands(root);
  dataCommands(root);
  completionCommand(root);
  const seed = root.command('seed').description('seed metadata for Meta-Codes');
  seed
    .command('isrc')
    .description('check a recording record and print it as the Data-URL that `meta` takes')
    .argument('<file>', 'JSON file, or - for standard input')
    .addOption(new Option('--form <form>', 'change the form').choices(['compact', 'json-ld']))
    .addOption(jsonOption())
    .action(async (file: string, options) => (await import('./commands/seed.js')).seedIsrc(file, options));
  completeHelp(root);
  return root;
}

/** Commands that work on files and codes, without a server. */
function codeCommands(root: Command): void {
  root
    .command('code')
    .description('make the ISCC-CODE of files, one line of JSON each')
    .argument('<files...>', 'of any kind; texts, images, audio and video get all units')
    .option('--no-granular', 'leave out simprint features of text')
    .option('--semantic', 'add the experimental semantic unit')
    .option('--no-thumbnail', 'leave out the thumbnail')
    .option('--jobs <n>', 'files at a time (default: number of cores)')
    .addOption(alwaysJsonOption())
    .action(async (files: string[], options) => (await import('./commands/code.js')).code(files, options));
  root
    .command('explain')
    .description('take a code apart: units, digests and other forms')
    .argument('<codes...>', 'ISCC-CODE, ISCC-UNIT, ISCC-ID or its multiformat form')
    .addOption(jsonOption())
    .action(async (codes: string[], options) =>
      (await import('./commands/explain.js')).explain(codes, options),
    );
  root
    .command('compare')
    .description('similarity of two codes, unit by unit')
    .argument('<a>', 'ISCC-CODE or ISCC-UNIT')
    .argument('<b>', 'the other one')
    .addOption(jsonOption())
    .action(async (a: string, b: string, options) =>
      (await import('./commands/compare.js')).compare(a, b, options),
    );
  root
    .command('simprint')
    .description('simprints of a plain text file, or of standard input with -')
    .argument('<file>', 'UTF-8 text')
    .addOption(alwaysJsonOption())
    .action(async (file: string) => (await import('./commands/simprint.js')).simprint(file));
}

/** `isccd index ...`: every subcommand works on a folder of this machine or on a service. */
function indexCommands(root: Command): void {
  const index = root.command('index').description('similarity indexes: create, fill, search');
  const add = (name: string, description: string) =>
    index
      .command(name)
      .description(description)
      .requiredOption('--at <where>', 'folder, lmdb:///path, usearch:///path, or URL of a service')
      .option('--api-key <key>', 'for a service that wants one')
      .addOption(alwaysJsonOption());
  const actions = () => import('./commands/index-command.js');
  add('create <name>', 'create an index').action(async (name, where) =>
    (await actions()).create(name, where),
  );
  add('list', 'list indexes').action(async (where) => (await actions()).list(where));
  add('rm <name>', 'delete an index and all that is in it').action(async (name, where) =>
    (await actions()).remove(name, where),
  );
  add('add <name> <files...>', 'add entries: JSON, JSON lines, *.iscc.json, or - for standard input')
    .option('--make-ids', 'make an ISCC-ID for entries without one, of code and file name')
    .action(async (name, files, where) => (await actions()).add(name, files, where));
  add('search <name> <code>', 'assets that are similar to an ISCC-CODE')
    .option('--limit <n>', 'matches at most')
    .action(async (name, code, options) => (await actions()).search(name, code, options));
  add('get <name> <iscc-id>', 'one entry as it was added').action(async (name, id, where) =>
    (await actions()).get(name, id, where),
  );
}

// A reader that has seen enough (`| head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') fail(new CommandFailed(`standard output can't be written: ${error.message}`));
  process.exit();
});
// There is no place left to tell it.
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
