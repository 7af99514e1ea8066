/**
 * What others found out about the packages we use: licences, sources and known vulnerabilities, of Rust
 * (`cargo deny`, rules in `deny.toml`) and of npm (`npm audit`, for what users install).
 *
 * Advisories come from the network. Where it cannot be reached the check says so and goes on;
 * `ISCCD_AUDIT=required` (releases) makes that an error.
 */
import path from 'node:path';
import { attempt, onPath, root, run } from './lib.mjs';

const CARGO_DENY = 'cargo-deny@0.20.2';
const tools = path.join(root, '.setup', 'tools');
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
    // Where there is no network it should not take a minute to find that out.
    command: ['npm', 'audit', '--omit=dev', '--audit-level=high', '--fetch-retries=0'],
    unreachable: /audit endpoint returned an error|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/,
  },
];

/** `install`: fetches and compiles `cargo deny` where it is missing (some minutes, once). */
export function audit({ install }) {
  const env = { ...process.env, PATH: [process.env.PATH, path.join(tools, 'bin')].join(path.delimiter) };
  const hasDeny = () => attempt('cargo', ['deny', '--version'], { env }).status === 0;
  if (install && onPath('cargo') && !hasDeny()) {
    run('cargo', ['install', '--locked', '--quiet', '--root', tools, CARGO_DENY]);
  }
  for (const { name, command, unreachable } of AUDITS) {
    const [program, ...args] = command;
    if (args[0] === 'deny' && !hasDeny()) {
      skip(name, `no cargo-deny here; \`npm run check\` installs it`);
      continue;
    }
    const { status, stdout, stderr } = attempt(program, args, { env });
    if (status === 0) continue;
    if (unreachable?.test(stdout + stderr)) skip(name, 'the database of advisories cannot be reached');
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
