/** The workflows, as far as they can be checked without running them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { wordForCmd } from '../../scripts/lib.mjs';
import { ROOT } from '../deploy/support/dockerfile.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly steps: readonly Step[];
  readonly container?: string;
  readonly strategy?: {
    readonly matrix: { readonly include?: readonly Readonly<Record<string, string>>[] };
  };
}

type Jobs = Readonly<Record<string, Job>>;

const text = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const jobsOf = (name: string) => (parse(text(`.github/workflows/${name}`)) as { jobs: Jobs }).jobs;
const release = jobsOf('release.yml');
const commands = (job: Job | undefined) => (job?.steps ?? []).map(({ run = '' }) => run).join('\n');

/** All jobs that end before a job starts. */
function before(jobs: Jobs, name: string): Set<string> {
  const direct = [jobs[name]?.needs ?? []].flat();
  return new Set(direct.flatMap((needed) => [needed, ...before(jobs, needed)]));
}

describe('the workflows', () => {
  it('name every action by a commit', () => {
    const steps = ['ci.yml', 'release.yml']
      .flatMap((name) => Object.values(jobsOf(name)))
      .flatMap((job) => job.steps);
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((uses) => !/@[0-9a-f]{40}$/.test(uses))).toEqual([]);
  });

  it('run npx with exact versions only, and publish without a secret of the registry', () => {
    const files = readdirSync(path.join(ROOT, '.github/workflows')).map((name) =>
      text(`.github/workflows/${name}`),
    );
    const calls = files.flatMap((file) =>
      [...file.matchAll(/\bnpx\b(?: -\S+)* (\S+)/g)].map(([, tool]) => tool),
    );
    expect(calls.filter((tool) => !/@\d+\.\d+\.\d+$/.test(tool ?? ''))).toEqual([]);
    expect(calls.length).toBeGreaterThan(0);
    expect(files.filter((file) => /NPM_TOKEN|_authToken/.test(file))).toEqual([]);
    const publishing = parse(text('.github/workflows/release.yml')) as {
      jobs: { publish: { permissions: object } };
    };
    expect(publishing.jobs.publish.permissions).toMatchObject({ 'id-token': 'write' });
  });

  it('install every program that the tests start', () => {
    const sources = readdirSync(path.join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => text(`test/${name}`));
    const packages = sources.flatMap((source) =>
      [...source.matchAll(/debianProgram\(\s*\[[^\]]+\],\s*'([^']+)'\)/g)].flatMap(([, names = '']) =>
        names.split(' '),
      ),
    );
    // The runner's image has these, a Chromium with a window, or another Firefox.
    const browsers = ['chromium-headless-shell', 'firefox-esr'];
    const present = [...browsers, 'default-jre-headless', 'kubernetes-client', 'systemd'];
    const [, installed = ''] = commands(jobsOf('ci.yml').test).split('apt-get install');
    const missing = new Set(packages.filter((name) => !present.includes(name)));
    for (const name of installed.split(/\s+/)) missing.delete(name);
    expect([...missing]).toEqual([]);
    expect(new Set(packages).size).toBeGreaterThan(5);
  });
});

describe('the release', () => {
  const publishing = /release -- --publish|gh release create|imagetools create|cosign sign/;

  it('publishes only after the packages of every target and the image were tried', () => {
    const { napi } = JSON.parse(text('package.json')) as { napi: { targets: string[] } };
    const builders = Object.entries(release).filter(([, job]) =>
      job.strategy?.matrix.include?.some(({ target }) => target !== undefined),
    );
    const targets = builders.flatMap(([, job]) => job.strategy?.matrix.include?.map(({ target }) => target));
    expect(targets.sort()).toEqual([...napi.targets].sort());
    for (const [name, job] of builders) {
      const script = name === 'addon-musl' ? text('scripts/build-in-alpine.sh') : commands(job);
      expect(script).toContain('npm run release -- --dry-run');
    }
    expect(commands(release.image)).toContain('scripts/try-image.sh');
    const publishers = Object.entries(release).filter(([, job]) => publishing.test(commands(job)));
    expect(publishers.map(([name]) => name)).toEqual(['publish', 'name-image']);
    for (const [name] of publishers)
      expect([...before(release, name)]).toEqual(
        expect.arrayContaining(['check', 'image', ...builders.map(([builder]) => builder)]),
      );
  });

  it('checks the licences of the dependencies of all targets, and of no other', () => {
    const { napi } = JSON.parse(text('package.json')) as { napi: { targets: string[] } };
    const [, list = ''] = /^targets = \[([^\]]+)\]/m.exec(text('deny.toml')) ?? [];
    const checked = [...list.matchAll(/"([^"]+)"/g)].map(([, target]) => target);
    // isccd-wasm is released for one target, too.
    expect(checked.sort()).toEqual([...napi.targets, 'wasm32-unknown-unknown'].sort());
  });

  it('pushes the image without a name, with its contents and origin, and signs what was tried', () => {
    const push = release.image?.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action'));
    expect(push?.with).toMatchObject({ sbom: true, provenance: 'mode=max' });
    expect(push?.with?.outputs).toContain('push-by-digest=true');
    expect(push?.with).not.toHaveProperty('tags');
    const platforms = release.image?.strategy?.matrix.include?.map(({ platform }) => platform);
    expect(platforms).toEqual(['linux/amd64', 'linux/arm64']);
    const naming = commands(release['name-image']).split('\n');
    const signing = naming.findIndex((line) => line.startsWith('cosign sign'));
    expect(naming[signing]).toBe('cosign sign --yes "$IMAGE@$AMD64" "$IMAGE@$ARM64"');
    expect(naming.findIndex((line) => line.includes('imagetools create'))).toBeGreaterThan(signing);
  });

  it('runs no action inside of Alpine, where those of arm64 do not start', () => {
    for (const job of Object.values(release)) {
      const containers = [
        job.container,
        ...(job.strategy?.matrix.include ?? []).map(({ container }) => container),
      ];
      expect(containers.filter((container) => container?.includes('alpine'))).toEqual([]);
    }
  });
});

it('arguments of commands on Windows stay one word each', () => {
  expect(wordForCmd('--outfile=C:\\a\\b.js')).toBe('"--outfile=C:\\a\\b.js"');
  expect(wordForCmd('C:\\Program Files\\nodejs\\node.exe')).toBe('"C:\\Program Files\\nodejs\\node.exe"');
  expect(wordForCmd('say "a & b"')).toBe('"say \\"a & b\\""');
  expect(wordForCmd('--loglevel')).toBe('--loglevel');
});
