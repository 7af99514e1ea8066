/**
 * Checks licences, sources and known vulnerabilities of dependencies: crates with `cargo deny` (rules in `deny.toml`), npm
 * packages that users install with `npm audit`.
 *
 * Advisories come from the network. If it is unreachable, the check says so and continues; `ISCCD_AUDIT=required` (for
 * releases) makes that an error.
 */
import path from 'node:path';
import { attempt, onPath, root, run } from './lib.mjs';

const CARGO_DENY = 'cargo-deny@0.20.2';
const tools = path.join(root, '.setup', 'programs');
const isRequired = process.env.ISCCD_AUDIT === 'required';

const AUDITS = [
  {
    name: 'licences and sources of crates',
    command: ['cargo', 'deny', '--locked', 'check', '--hide-inclusion-graph', 'licenses', 'bans', 'sources'],
  },
  {
    name: 'advisories on crates',
    command: ['cargo', 'deny', '--locked', 'check', '--hide-inclusion-graph', 'advisories'],
    unreachable: /failed to fetch advisory database/,
  },
  {
    name: 'advisories on npm packages',
    // Without a network, fail immediately instead of after a minute. `npm run -s` would hide the reason.
    command: ['npm', 'audit', '--omit=dev', '--audit-level=high', '--fetch-retries=0', '--loglevel=warn'],
    unreachable: /audit endpoint returned an error|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/,
  },
];

/** `install`: compiles `cargo deny` if it is missing (several minutes, once). */
export function audit({ install }) {
  const env = { ...process.env, PATH: [process.env.PATH, path.join(tools, 'bin')].join(path.delimiter) };
  const hasDeny = () => attempt('cargo', ['deny', '--version'], { env }).status === 0;
  if (install && onPath('cargo') && !hasDeny()) {
    run('cargo', ['install', '--locked', '--quiet', '--root', tools, CARGO_DENY]);
  }
  for (const { name, command, unreachable } of AUDITS) {
    const [program, ...args] = command;
    if (args[0] === 'deny' && !hasDeny()) {
      skip(name, 'cargo-deny is missing; `npm run check` installs it');
      continue;
    }
    const { status, stdout, stderr } = attempt(program, args, { env });
    if (status === 0) continue;
    if (unreachable?.test(stdout + stderr)) skip(name, 'the advisory database is unreachable');
    else {
      console.error(`${stdout}${stderr}\nisccd: ${name}: see above`);
      process.exit(1);
    }
  }
}

function skip(name, why) {
  console.error(`isccd: ${name}: not checked, ${why}`);
  if (isRequired) process.exit(1);
}
