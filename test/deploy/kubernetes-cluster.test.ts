/** `ops/kubernetes-cluster` as kubectl renders it, without a cluster. */
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { configure } from '../../src/compose/start.js';
import { ALL_VARIABLES } from '../../src/platform/config/all.js';
import { run } from '../support/command.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';
import { ROOT, readImage } from './support/dockerfile.js';

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } }[];
  readonly readinessProbe: { httpGet: { path: string } };
  readonly lifecycle: { preStop: { sleep: { seconds: number } } };
  readonly volumeMounts: readonly { name: string }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly clusterIP?: string;
    readonly minReplicas?: number;
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
    readonly maxUnavailable?: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly Container[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

/** Values of the secret, as the comment in `kustomization.yaml` names them. */
const SECRET: Readonly<Record<string, string>> = {
  APP_SECRET_KEY: 'x'.repeat(64),
  INDEXSVC_API_SECRET: 'y'.repeat(64),
  DATABASE_URL: 'postgresql://store:PASSWORD@db1,db2/isccd?target_session_attrs=read-write',
  INDEXSVC_INDEX_URI: 'postgresql://search:PASSWORD@db1,db2/isccd?target_session_attrs=read-write',
  ISCCD_REDIS_URL: 'redis://:PASSWORD@redis:6379',
  AWS_ACCESS_KEY_ID: 'key',
  AWS_SECRET_ACCESS_KEY: 'secret',
};
/** How long requests in flight may take after the drain. */
const IN_FLIGHT_SECONDS = 10;

let manifests: readonly Manifest[] = [];
beforeAll(async () => {
  const kubectl = debianProgram(['kubectl'], 'kubernetes-client');
  const rendered = await run(kubectl, ['kustomize', path.join(ROOT, 'ops/kubernetes-cluster')]);
  expect([rendered.code, rendered.stderr]).toEqual([0, '']);
  manifests = parseAllDocuments(rendered.stdout).map((document) => document.toJS() as Manifest);
}, INSTALL_MAX_MS);

const named = (name: string, ...kinds: string[]) =>
  manifests.filter(({ kind, metadata }) => kinds.includes(kind) && metadata.name === name);
const config = () => named('isccd', 'ConfigMap')[0]?.data ?? {};

describe.each(SERVICE_NAMES)('ops/kubernetes-cluster: %s', (service) => {
  const workload = () => {
    const [found, ...others] = named(service, 'Deployment', 'StatefulSet');
    expect(others).toEqual([]);
    return found as Manifest;
  };
  const container = () => workload().spec.template.spec.containers[0] as Container;

  it('has at least two replicas, of which one may be unavailable', () => {
    const { kind, spec } = workload();
    const [scaler] = named(service, 'HorizontalPodAutoscaler');
    expect(scaler === undefined).toBe(service === 'search');
    if (scaler !== undefined) expect(scaler.spec.scaleTargetRef).toMatchObject({ kind, name: service });
    expect(kind).toBe(service === 'search' ? 'StatefulSet' : 'Deployment');
    // Otherwise each `kubectl apply` would set the number back.
    expect(spec.replicas).toBe(service === 'search' ? 2 : undefined);
    expect(scaler?.spec.minReplicas ?? 2).toBeGreaterThanOrEqual(2);
    const [budget] = named(service, 'PodDisruptionBudget');
    expect(budget?.spec).toMatchObject({
      maxUnavailable: 1,
      selector: { matchLabels: spec.template.metadata.labels },
    });
    expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
  });

  it('mounts volumes that exist; only search has claims, for its caches', () => {
    const { spec } = workload();
    const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
    expect(claims).toEqual(service === 'search' ? ['data'] : []);
    const volumes = [...spec.template.spec.volumes.map(({ name }) => name), ...claims];
    expect(
      container()
        .volumeMounts.map(({ name }) => name)
        .sort(),
    ).toEqual(volumes.sort());
  });

  it('is stopped only after it has drained', () => {
    const { sleep } = container().lifecycle.preStop;
    const needed = sleep.seconds + Number(config().ISCCD_DRAIN_SECONDS) + IN_FLIGHT_SECONDS;
    expect(workload().spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(needed);
    expect(container().readinessProbe.httpGet.path).toBe('/readyz');
  });

  it('has valid settings for shared engines, with all secrets from the secret', () => {
    expect(container().args).toEqual(['serve', service]);
    const secrets = container().env.map(({ name, valueFrom: { secretKeyRef } }) => {
      expect(secretKeyRef.name).toBe('isccd');
      return [name, SECRET[secretKeyRef.key]] as const;
    });
    expect(secrets.filter(([, value]) => value === undefined)).toEqual([]);
    const environment = { ...readImage().environment, ...config(), ...Object.fromEntries(secrets) };
    const known = new Set(ALL_VARIABLES.map(({ name }) => name));
    const own = [...Object.keys(config()), ...secrets.map(([name]) => name)];
    expect(own.filter((name) => !known.has(name) && !name.startsWith('AWS_'))).toEqual([]);
    expect(configure([service], environment as Record<string, string>).configured).toHaveLength(1);
  });
});

it('lets the gateway send any request to any replica', () => {
  expect(named('codes', 'Service')[0]?.spec.clusterIP).toBeUndefined();
  expect(named('codes', 'StatefulSet')).toEqual([]);
});
