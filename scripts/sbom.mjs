/**
 * `node scripts/sbom.mjs [FILE]`: writes the software bill of materials in CycloneDX 1.5. It covers what a user installs: the
 * npm packages that `npm sbom` lists and the crates compiled into the addon.
 *
 * https://cyclonedx.org/docs/1.5/json/
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { attempt, root } from './lib.mjs';

const ADDON = 'isccd-native';
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const TARGET = 'x86_64-unknown-linux-gnu';

export function sbom() {
  const bom = withoutDevelopment(
    json('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']),
  );
  // npm uses the folder's name.
  bom.metadata.component.name = manifest.name;
  const crates = cratesOfAddon();
  bom.components.push(...crates.map(component));
  bom.dependencies.push(...crates.map(({ ref, dependencies }) => ({ ref, dependsOn: dependencies })));
  const own = bom.dependencies.find(({ ref }) => ref === bom.metadata.component['bom-ref']);
  own.dependsOn.push(crates.find(({ name }) => name === ADDON).ref);
  return bom;
}

/** Does not use npm's `--omit=dev`: npm 11 then also omits packages that a development package could use as a peer. */
function withoutDevelopment(bom) {
  const isDevelopment = ({ properties = [] }) =>
    properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
  const dropped = new Set(bom.components.filter(isDevelopment).map((component) => component['bom-ref']));
  const isKept = (ref) => !dropped.has(ref);
  return {
    ...bom,
    components: bom.components.filter((component) => isKept(component['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => isKept(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  };
}

/** The addon's crate and all crates linked into it, without build tools and test peers. */
function cratesOfAddon() {
  const { packages, resolve } = json('cargo', [
    ...['metadata', '--format-version=1', '--locked', `--filter-platform=${TARGET}`],
  ]);
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const isLinked = linkedCrates();
  const linked = packages.filter(({ name, version }) => isLinked.has(`${name} v${version}`));
  const refs = new Map(linked.map(({ id, name, version }) => [id, `pkg:cargo/${name}@${version}`]));
  const needs = (id) =>
    nodes
      .get(id)
      .deps.filter(({ pkg, dep_kinds: kinds }) => refs.has(pkg) && kinds.some(({ kind }) => kind === null))
      .map(({ pkg }) => refs.get(pkg));
  return linked.map((crate) => ({ ...crate, ref: refs.get(crate.id), dependencies: needs(crate.id) }));
}

/** `name vVERSION` of each crate. Only `cargo tree` resolves features and therefore optional crates. */
function linkedCrates() {
  const options = [
    '--locked',
    '--edges=normal,no-proc-macro',
    `--target=${TARGET}`,
    '--prefix=none',
    '--format={p}',
  ];
  const lines = text('cargo', ['tree', '--package', ADDON, ...options]).split('\n');
  return new Set(lines.map((line) => line.split(' ').slice(0, 2).join(' ')));
}

function component({ ref, name, version, description, license, repository }) {
  const links = repository ? [{ type: 'vcs', url: repository }] : [];
  return {
    'bom-ref': ref,
    type: 'library',
    name,
    version,
    ...(description && { description: description.trim() }),
    purl: ref,
    // Cargo's older notation for "OR" is a slash.
    ...(license && { licenses: [{ expression: license.replace(/\s*\/\s*/g, ' OR ') }] }),
    ...(links.length > 0 && { externalReferences: links }),
  };
}

const json = (command, args) => JSON.parse(text(command, args));

function text(command, args) {
  const { status, stdout, stderr } = attempt(command, args, { maxBuffer: 256 * 1024 ** 2 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed (${status})\n${stderr}`);
  return stdout;
}

if (process.argv[1]?.endsWith('sbom.mjs')) {
  writeFileSync(process.argv[2] ?? 'sbom.cdx.json', `${JSON.stringify(sbom(), null, 2)}\n`);
}
