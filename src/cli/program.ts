/**
 * The `isccd` command as commander has it. Modules of subcommands are loaded on demand, so that `isccd explain` does not load
 * those of `isccd serve`.
 */
import { Argument, Command, Option } from 'commander';
import { SERVICE_NAMES, type ServiceName } from '../compose/service-names.js';
import { generator } from '../platform/version.js';
import { checkCommands } from './commands/check.js';
import { completionCommand } from './commands/completion.js';
import { dataCommands } from './commands/data-commands.js';
import { networkCommands } from './commands/network-commands.js';
import { storeCommands } from './commands/store.js';
import { completeHelp, HELP_STYLE } from './help/help.js';
import { checkOpenFiles } from './open-files.js';
import { alwaysJsonOption, jsonOption, keyOption } from './options.js';

/** Defines the command. Results go to standard output, everything else to standard error. */
export function program(): Command {
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
    .option(
      '--workers <n>',
      'processes that serve the same addresses, or auto: one per CPU core; needs shared engines (default: 1)',
    )
    .option('--dev', 'development mode: details in errors, restart when the program or .env changes')
    .addOption(jsonOption())
    .action(async (services: ServiceName[], options) => {
      checkOpenFiles();
      await (await import('./commands/serve.js')).serve(services, options);
    });
  codeCommands(root);
  fileCommands(root);
  root
    .command('demo')
    .description(
      'create a code, sign, store, resolve and fetch, with services of its own in a temporary folder; nothing stays',
    )
    .argument('[image]', 'image file (default: a generated image)')
    .option('--here', 'use the services that run on this machine; the manifest stays in their store')
    .addOption(jsonOption())
    .action(async (image: string | undefined, options) =>
      (await import('./commands/demo.js')).demo(image, options),
    );
  findCommand(root);
  indexCommands(root);
  storeCommands(root);
  checkCommands(root);
  dataCommands(root);
  networkCommands(root);
  completionCommand(root);
  root
    .command('selftest')
    .description('run the conformance vectors on this machine; show kernels, tools and versions')
    .addOption(jsonOption())
    .action(async (options) => (await import('./commands/selftest.js')).selftest(options));
  root
    .command('doctor')
    .description('show versions, configuration, health, tools and disks in one text for an issue; no secrets')
    .addOption(jsonOption())
    .action(async (options) => (await import('./commands/doctor.js')).doctor(options));
  seedCommands(root);
  completeHelp(root);
  return root;
}

/** `isccd seed KIND FILE`, for each kind of works. */
function seedCommands(root: Command): void {
  const group = root.command('seed').description('seed metadata for Meta-Codes');
  const works = { isrc: 'a recording', isbn: 'a book', stm: 'a scholarly work with a DOI' } as const;
  for (const kind of ['isrc', 'isbn', 'stm'] as const)
    group
      .command(kind)
      .description(`validate the metadata of ${works[kind]} and print it as the Data-URL for \`meta\``)
      .argument('<file>', 'JSON file, or - for standard input')
      .addOption(new Option('--form <form>', 'convert to this form').choices(['compact', 'json-ld']))
      .addOption(jsonOption())
      .action(async (file: string, options) =>
        (await import('./commands/seed.js')).seed(kind, file, options),
      );
}

/** Commands that work on files and codes, without a server. */
function codeCommands(root: Command): void {
  root
    .command('code')
    .description('create the ISCC-CODEs of files, one line of JSON per file')
    .argument(
      '[files...]',
      'files, folders, glob patterns, - for standard input, http(s):// and s3:// addresses',
    )
    .option('--include <glob...>', 'in folders, only files whose path or name matches')
    .option('--exclude <glob...>', 'in folders, no files whose path or name matches')
    .option('--filename <name>', 'file name of standard input')
    .option('--name <text>', 'title, instead of that of the file')
    .option('--description <text>', 'description, instead of that of the file')
    .option('--meta <json>', 'extended metadata: a JSON object, a base64 Data-URL, or @FILE')
    .option(
      '--no-metadata',
      'ignore metadata embedded in files; the Meta-Code covers the given or the file name',
    )
    .option('--granular', 'include simprints of text (default)', true)
    .option('--no-granular', 'omit simprints of text')
    .option('--semantic', 'add the experimental Semantic-Code')
    .option('--no-thumbnail', 'omit the thumbnail')
    .option('--soft-binding', 'print the C2PA soft binding (io.iscc.v0) instead of the code')
    .option('--csv', 'print a table in CSV instead of JSON')
    .option('--sidecar', 'write FILE.iscc.json next to each file; skips files that have one')
    .option('--resume <file>', 'append the lines to a file; skips files that have a result there')
    .option('--verify <list>', 'code the files of an old list again; print what differs, by format')
    .option('--check <list>', 'compare files with the codes of their bytes in a list, as sha256sum -c does')
    .option('--tree <folder>', 'print one code for all files of a folder, as iscc-sum --tree does')
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
    .description('compare two codes or files, unit by unit')
    .argument('<a>', 'ISCC-CODE, ISCC-UNIT or file')
    .argument('<b>', 'ISCC-CODE, ISCC-UNIT or file')
    .addOption(jsonOption())
    .action(async (a: string, b: string, options) =>
      (await import('./commands/compare.js')).compare(a, b, options),
    );
  root
    .command('verify-evidence')
    .description('check the evidence of a match that the page of a service saved, without that server')
    .argument('<file>', 'the evidence (- for standard input)')
    .option('--file <path>', 'also code this file, and compare it with the searched codes')
    .option('--key <key>', 'public key of the store whose receipts count, z6Mk…')
    .option('--did <path>', 'DID document of that store, from its /.well-known/did.json')
    .addOption(jsonOption())
    .action(async (file: string, options) =>
      (await import('./commands/verify-evidence.js')).verifyEvidence(file, options),
    );
  root
    .command('simprint')
    .description('create simprints of plain text')
    .argument('<file>', 'UTF-8 text file, or - for standard input')
    .addOption(alwaysJsonOption())
    .action(async (file: string) => (await import('./commands/simprint.js')).simprint(file));
}

/** Commands that show what is in files, without a server. */
function fileCommands(root: Command): void {
  scanCommands(root);
  root
    .command('extract')
    .description('print metadata and text of a file, and save its thumbnail')
    .argument('<file>', 'file of a supported type')
    .option('--text', 'print the text only')
    .option('--thumbnail <file>', 'save the thumbnail, a WebP image')
    .addOption(jsonOption())
    .action(async (file: string, options) => (await import('./commands/extract.js')).extract(file, options));
}

/** `isccd scan DIR...`, and commands for the folders of scans. */
function scanCommands(root: Command): void {
  const grouping = (command: Command) =>
    command
      .option('--distance <bits>', 'bits of 256 in which similar units may differ', '32')
      .option(
        '--units <types>',
        'types of units to compare, of meta,semantic,content,data (default: all, data only for files without content)',
      )
      .addOption(jsonOption());
  const scan = root
    .command('scan')
    .description('find duplicates, near-duplicates and versions of works in folders')
    .argument('<folders...>', 'folders, with everything below them, and files')
    .option('--out <folder>', 'folder for results and reports (default: isccd-scan)')
    .option('--workspace <folder>', 'add to the results and reports of other scans')
    .option('--label <name>', 'name of the scanned folder in the workspace (default: its absolute path)')
    .option(
      '--reference <folder...>',
      'report only what these folders have, too; in a workspace, also labels',
    )
    .option('--script <keep>', 'write duplicates.sh; keep=oldest, keep=shortest or keep=reference')
    .option('--include <glob...>', 'only files whose path or name matches')
    .option('--exclude <glob...>', 'no files whose path or name matches')
    .option('--jobs <n>', 'files to process concurrently (default: number of CPU cores)')
    .option('--passages', 'report passages that several texts have in passages.csv')
    .option('--clips', 'report clips of films and passages of recordings in clips.csv; experimental')
    .option('--symmetries', 'mirrored and turned pictures are near-duplicates, too')
    .option('--watch', 'keep running; renew the reports after changes');
  grouping(scan).action(async (folders: string[], options) =>
    (await import('./commands/scan.js')).scan(folders, options),
  );
  // Options that `scan` has as well are parsed as its own.
  const actions = () => import('./commands/scan-workspace.js');
  scan
    .command('status')
    .description('print what was scanned into a workspace, where and when')
    .argument('<workspace>', 'folder of --workspace')
    .addOption(jsonOption())
    .action(async (workspace, _, command) => (await actions()).status(workspace, command.optsWithGlobals()));
  grouping(
    scan
      .command('import')
      .description('add another workspace, or side-cars of iscc-sdk and kmapper, to a workspace')
      .argument('<workspace>', 'folder of --workspace')
      .argument('<folders...>', 'other workspaces, and folders with *.iscc.json')
      .option('--label <name>', 'beginning of the names of the imported files'),
  ).action(async (workspace, folders, _, command) =>
    (await actions()).importScans(workspace, folders, command.optsWithGlobals()),
  );
  scan
    .command('ignore')
    .description('leave out groups whose files do not belong together')
    .argument('<folder>', 'folder of --out or --workspace')
    .argument('<groups...>', 'numbers of groups in report.csv')
    .addOption(alwaysJsonOption())
    .action(async (folder, groups) => (await actions()).ignore(folder, groups));
}

/** `isccd find FILE --in INDEX`. */
function findCommand(root: Command): void {
  root
    .command('find')
    .description('find the assets of an index that a file matches, and say what differs')
    .argument('<file>', 'file of any type')
    .requiredOption('--in <index>', 'name of the index')
    .requiredOption('--at <where>', 'folder, lmdb:///path, usearch:///path, or URL of a service')
    .addOption(keyOption('--api-key <key>', 'API key of the service', 'ISCCD_API_KEY'))
    .option('--limit <n>', 'maximum number of matches', '10')
    .option('--threshold <share>', 'lowest similarity of a matching unit, 0 to 1')
    .option('--symmetries', 'find a picture mirrored and turned, too')
    .addOption(jsonOption())
    .action(async (file: string, options) => (await import('./commands/find.js')).find(file, options));
}

/** `isccd index ...`: every subcommand works on a local folder or on a service. */
function indexCommands(root: Command): void {
  const index = root.command('index').description('similarity indexes: create, fill, search');
  const add = (name: string, description: string, json = alwaysJsonOption()) =>
    index
      .command(name)
      .description(description)
      .requiredOption('--at <where>', 'folder, lmdb:///path, usearch:///path, or URL of a service')
      .addOption(keyOption('--api-key <key>', 'API key of the service', 'ISCCD_API_KEY'))
      .addOption(json);
  const actions = () => import('./commands/index-command.js');
  add('create <name>', 'create an index').action(async (name, where) =>
    (await actions()).create(name, where),
  );
  add('list', 'list indexes; a table on a terminal', jsonOption()).action(async (where) =>
    (await actions()).list(where),
  );
  add(
    'rm <name> [iscc-ids...]',
    'delete assets of an index, or without ISCC-IDs the index and all its assets',
  ).action(async (name, ids, where) => (await actions()).remove(name, ids, where));
  add('add <name> <files...>', 'add entries from JSON, JSON lines, *.iscc.json, or - for standard input')
    .option('--make-ids', 'derive ISCC-IDs for entries without one, from code and file name')
    .action(async (name, files, where) => (await actions()).add(name, files, where));
  transferCommands(add);
  searchCommand(add);
  add('get <name> <iscc-id>', 'print an entry; a table on a terminal', jsonOption()).action(
    async (name, id, where) => (await actions()).get(name, id, where),
  );
  add('paths <name> [paths...]', 'print the declared metadata paths of an index, or declare these instead')
    .option('--none', 'declare none')
    .action(async (name, paths, options) => (await actions()).paths(name, paths, options));
  keyCommands(index);
  watchCommands(index);
  quarantineCommand(index);
}

const FILTER = [
  '--filter <condition...>',
  'condition on the metadata, for example metadata.lang = "de"; all must hold',
] as const;

/** `isccd index search`, with the parameters of a search. */
function searchCommand(add: (name: string, description: string, json?: Option) => Command): void {
  add(
    'search <name> <sought...>',
    'find assets similar to a file, an ISCC-CODE, ISCC-UNITs or another asset; a table on a terminal',
    jsonOption(),
  )
    .option('--limit <n>', 'maximum number of matches')
    .option('--threshold <share>', 'lowest similarity of a matching unit, 0 to 1')
    .option('--threshold-simprints <share>', 'lowest similarity of a matching simprint, 0 to 1')
    .option('--min-score <share>', 'lowest score of a match, 0 to 1')
    .option('--unit-types <types>', 'unit types to search with, separated by commas')
    .option('--exclude <iscc-ids>', 'ISCC-IDs to leave out, separated by commas')
    .option(...FILTER)
    .action(async (name, sought, options) =>
      (await import('./commands/index-search.js')).search(name, sought, options),
    );
}

/** `isccd index quarantine`: the units that the flood guard of a service has set aside. */
function quarantineCommand(index: Command): void {
  index
    .command('quarantine <name>')
    .description(
      'units that the flood guard has set aside: list them, or decide on one; a table on a terminal',
    )
    .requiredOption('--at <url>', 'URL of a service')
    .addOption(keyOption('--api-key <key>', 'API key of the service', 'ISCCD_API_KEY'))
    .addOption(jsonOption())
    .addOption(new Option('--release <unit>', 'the unit matches again').conflicts('confirm'))
    .option('--confirm <unit>', 'the unit stays set aside')
    .action(async (name, options) =>
      (await import('./commands/index-quarantine.js')).quarantine(name, options),
    );
}

/** Commands for the watches of a service. */
function watchCommands(index: Command): void {
  const watch = index
    .command('watch')
    .description('watches of an index: report assets that match from now on');
  const add = (name: string, description: string, json = alwaysJsonOption()) =>
    watch
      .command(name)
      .description(description)
      .requiredOption('--at <url>', 'URL of a service')
      .addOption(keyOption('--api-key <key>', 'API key of the service', 'ISCCD_API_KEY'))
      .addOption(json);
  const actions = () => import('./commands/index-watch.js');
  add('add <name> <id> <sought...>', 'watch for a file, an ISCC-CODE, ISCC-UNITs or an asset of the index')
    .option('--threshold <share>', 'lowest similarity of a matching unit, 0 to 1')
    .option('--threshold-simprints <share>', 'lowest similarity of a matching simprint, 0 to 1')
    .option('--min-score <share>', 'lowest score of a match, 0 to 1')
    .option(...FILTER)
    .option('--webhook <url>', 'address that gets the events, too')
    .action(async (name, id, sought, options) => (await actions()).add(name, id, sought, options));
  add('list <name>', 'list the watches of an index; a table on a terminal', jsonOption()).action(
    async (name, options) => (await actions()).list(name, options),
  );
  add('get <name> <id>', 'print a watch and the state of its webhook').action(async (name, id, where) =>
    (await actions()).get(name, id, where),
  );
  add('rm <name> <ids...>', 'delete watches with their events').action(async (name, ids, where) =>
    (await actions()).remove(name, ids, where),
  );
  add('events <name> <id>', 'print the events of a watch until it is stopped', jsonOption())
    .option('--after <event-id>', 'id of the last known event (default: all that are kept)')
    .action(async (name, id, options) => (await actions()).events(name, id, options));
}

/** Commands for the API keys of the service. */
function keyCommands(index: Command): void {
  const key = index.command('key').description('API keys of the search service: create, list, revoke');
  const add = (name: string, description: string) =>
    key
      .command(name)
      .description(description)
      .option('--file <file>', 'file of the keys (default: as the service is configured)')
      .addOption(alwaysJsonOption());
  const actions = () => import('./commands/index-key.js');
  add('create', 'create a key and print it; it cannot be shown again')
    .requiredOption('--rights <rights>', 'rights, separated by commas: read, write, admin')
    .option('--indexes <names>', 'indexes or aliases, separated by commas (default: all)')
    .option('--name <text>', 'what the key is for')
    .action(async (options) => (await actions()).create(options));
  add('list', 'list all keys').action(async (where) => (await actions()).list(where));
  add('revoke <id>', 'revoke a key').action(async (id, where) => (await actions()).revoke(id, where));
}

const REPORT = ['--report <file>', 'file for the rows that are refused', 'isccd-refused.ndjson'] as const;

/** Commands that move all assets of an index. */
function transferCommands(add: (name: string, description: string) => Command): void {
  const actions = () => import('./commands/index-transfer.js');
  add(
    'import [name]',
    'import indexes of iscc-search or isccd, or JSON lines; continues after an interruption',
  )
    .requiredOption('--from <where>', 'folder, file (.gz and .zst are decoded), - or URL of a service')
    .addOption(
      keyOption('--from-api-key <key>', 'API key of the service to import from', 'ISCCD_FROM_API_KEY'),
    )
    .option('--as <name>', 'name of the new index')
    .option(...REPORT)
    .option('--state <file>', 'file that remembers how far the import is', 'isccd-import.json')
    .action(async (name, options) => (await actions()).importIndexes(name, options));
  add('export <name>', 'write all assets as JSON lines')
    .option('--output <file>', 'file to write instead of standard output')
    .action(async (name, options) => (await actions()).exportIndex(name, options));
  const to = (command: Command) =>
    command
      .option('--to <where>', 'place of the new index (default: that of the old one)')
      .addOption(keyOption('--to-api-key <key>', 'API key of the service at --to', 'ISCCD_TO_API_KEY'))
      .option(...REPORT);
  to(add('copy <name> <new-name>', 'copy all assets into another index')).action(
    async (name, target, options) => (await actions()).copyIndex(name, target, options),
  );
  to(add('repair <name>', 'salvage the readable rows of a damaged index into a new one'))
    .option('--as <name>', 'name of the new index (default: the old one and "repaired")')
    .action(async (name, options) => (await actions()).repairIndex(name, options));
}
