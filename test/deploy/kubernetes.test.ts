/**
 * The manifests of `ops/kubernetes`, without a cluster: names refer to each other, the settings are valid, and the probes
 * respond. The schemas of Kubernetes are not checked, because no validator of them can be installed here.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SERVICE_NAMES, type ServiceName } from '../../src/compose/service-names.js';
import { SERVICES } from '../../src/compose/services.js';
import { ALL_VARIABLES } from '../../src/platform/config/all.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { isccd } from '../support/command.js';
import { ROOT, readImage } from './support/dockerfile.js';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } }[];
  readonly ports: readonly { name: string; containerPort: number }[];
  readonly livenessProbe: { httpGet: { path: string; port: string } };
  readonly readinessProbe: { httpGet: { path: string; port: string } };
  readonly securityContext: Record<string, unknown>;
  readonly volumeMounts: readonly { name: string; mountPath: string }[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: { matchLabels?: Record<string, string> };
    readonly template?: {
      metadata: { labels: Record<string, string> };
      spec: {
        containers: readonly Container[];
        volumes: readonly { name: string }[];
        securityContext: object;
      };
    };
    readonly volumeClaimTemplates?: readonly { metadata: { name: string } }[];
    readonly parentRefs?: readonly { name: string; sectionName: string }[];
    readonly listeners?: readonly { name: string; hostname: string }[];
    readonly hostnames?: readonly string[];
    readonly ports?: readonly { port: number }[];
    readonly rules?: readonly {
      matches?: readonly { path: { value: string } }[];
      backendRefs: readonly { name: string; port: number }[];
    }[];
    readonly podMetricsEndpoints?: readonly { port: string }[];
  };
}

const FOLDER = path.join(ROOT, 'ops/kubernetes');
const read = (name: string) => readFileSync(path.join(FOLDER, name), 'utf8');
const { resources, images } = parse(read('kustomization.yaml')) as {
  resources: readonly string[];
  images: readonly { name: string; newTag: string }[];
};
const manifests = resources.flatMap((name) =>
  parseAllDocuments(read(name)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  }),
);
const ofKind = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(kind));
const workloads = ofKind('StatefulSet', 'Deployment');
const config = ofKind('ConfigMap')[0]?.data ?? {};
const containerOf = (workload: Manifest | undefined) =>
  workload?.spec?.template?.spec.containers[0] as Container;

let folder = '';
let services: AllServices;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-kubernetes-'));
  services = await startAllServices();
});
afterAll(async () => {
  await services.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('ops/kubernetes', () => {
  it('has a workload and a service for each service of isccd', () => {
    expect(workloads.map(({ metadata }) => metadata.name).sort()).toEqual([...SERVICE_NAMES].sort());
    expect(
      ofKind('Service')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual([...SERVICE_NAMES].sort());
    for (const { apiVersion, kind } of manifests) expect(apiVersion, kind).toMatch(/^(?:\w[\w.]*\/)?v1$/);
  });

  it.each(SERVICE_NAMES)('%s: labels, ports, volumes and images refer to each other', (name) => {
    const workload = workloads.find(({ metadata }) => metadata.name === name);
    const { template, selector, volumeClaimTemplates = [] } = workload?.spec ?? {};
    const container = containerOf(workload);
    expect(selector?.matchLabels).toEqual(template?.metadata.labels);
    const service = ofKind('Service').find(({ metadata }) => metadata.name === name);
    expect(service?.spec?.selector).toEqual(template?.metadata.labels);
    expect(container.args).toEqual(['serve', name]);
    expect(images.map(({ name: image }) => image)).toContain(container.image);
    expect(String(container.ports[0]?.containerPort)).toBe(SERVICES[name].variables.port.default);
    const volumes = [
      ...(template?.spec.volumes ?? []).map((volume) => volume.name),
      ...volumeClaimTemplates.map(({ metadata }) => metadata.name),
    ];
    expect(container.volumeMounts.map((mount) => mount.name).sort()).toEqual(volumes.sort());
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain(
      readImage().environment.ISCCD_DATA_DIR,
    );
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    expect(template?.spec.securityContext).toMatchObject({ runAsNonRoot: true });
  });

  it('routes to services that exist, and not to the dashboard or the indexes', () => {
    const [gateway] = ofKind('Gateway');
    const routes = ofKind('HTTPRoute');
    expect(routes.map(({ metadata }) => metadata.name).sort()).toEqual(['codes', 'resolver', 'store']);
    for (const { metadata, spec } of routes) {
      const [parent] = spec?.parentRefs ?? [];
      expect(parent?.name).toBe(gateway?.metadata.name);
      const listener = gateway?.spec?.listeners?.find(({ name }) => name === parent?.sectionName);
      expect(spec?.hostnames).toEqual([listener?.hostname]);
      for (const { matches, backendRefs } of spec?.rules ?? []) {
        const service = ofKind('Service').find((one) => one.metadata.name === metadata.name);
        expect(backendRefs).toEqual([{ name: metadata.name, port: service?.spec?.ports?.[0]?.port }]);
        if (metadata.name === 'store')
          expect(matches?.map(({ path: { value } }) => value)).toEqual(['/v1', '/.well-known', '/docs']);
      }
    }
  });

  it('names a release of the image, and a port of every pod for its metrics', () => {
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(images.map(({ newTag }) => newTag)).toEqual([`v${version}`]);
    const monitor = parse(read('pod-monitor.yaml')) as Manifest;
    for (const workload of workloads) {
      expect(workload.spec?.template?.metadata.labels).toMatchObject(
        monitor.spec?.selector?.matchLabels ?? {},
      );
      const ports = containerOf(workload).ports.map(({ name }) => name);
      expect(ports).toContain(monitor.spec?.podMetricsEndpoints?.[0]?.port);
    }
  });

  it.each(SERVICE_NAMES)('%s has valid settings, and secrets only where they are needed', async (name) => {
    const container = containerOf(workloads.find(({ metadata }) => metadata.name === name));
    const secrets = Object.fromEntries((container.env ?? []).map((entry) => [entry.name, 'x'.repeat(64)]));
    const known = new Set(ALL_VARIABLES.map((variable) => variable.name));
    expect(Object.keys({ ...config, ...secrets }).filter((variable) => !known.has(variable))).toEqual([]);
    expect('APP_SECRET_KEY' in secrets).toBe(name === 'store');
    const env = { ...readImage().environment, ...config, ...secrets, ISCCD_DATA_DIR: folder };
    const { code, stderr } = await isccd(['check', 'config', name], { cwd: folder, env });
    expect([code, stderr]).toEqual([0, '']);
  });

  it.each(SERVICE_NAMES)('%s has probes that respond', async (name: ServiceName) => {
    const container = containerOf(workloads.find(({ metadata }) => metadata.name === name));
    for (const { httpGet } of [container.livenessProbe, container.readinessProbe]) {
      expect(httpGet.port).toBe('http');
      expect((await fetch(services.url[name] + httpGet.path)).status).toBe(200);
    }
  });
});
