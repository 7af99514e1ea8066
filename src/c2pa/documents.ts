/** Documents that describe a soft-binding service: algorithms, capabilities, discovery, status. */
import type { AlgorithmList, Discovery, ServiceCapabilities, ServiceStatus } from './schema.js';

/** Version of the API's OpenAPI document. Discovery and capabilities must state the same one. */
export const SPECIFICATION_VERSION = '2.4.0';

/** The soft-binding algorithm whose values are ISCC-SEQs. */
export const ISCC_ALGORITHM = 'io.iscc.v0';

export const DISCOVERY_PATH = '/.well-known/c2pa-soft-binding-resolution';

/** Sorts the identifiers of both kinds. */
export function algorithmsDocument(
  watermarks: readonly string[],
  fingerprints: readonly string[],
): AlgorithmList {
  const sorted = (algorithms: readonly string[]) => [...algorithms].sort().map((alg) => ({ alg }));
  return { watermarks: sorted(watermarks), fingerprints: sorted(fingerprints) };
}

export function capabilitiesDocument(
  supportedCapabilities: ServiceCapabilities['supportedCapabilities'],
): ServiceCapabilities {
  return { c2paSpecificationVersion: SPECIFICATION_VERSION, supportedCapabilities };
}

/** What a reader finds who opens the API's base address. @param base the service's public address */
export function apiDocument(title: string, base: string): Readonly<Record<string, string>> {
  return {
    title,
    documentation: `${base}/docs`,
    discovery: base + DISCOVERY_PATH,
    byBinding: `${base}/v1/matches/byBinding`,
    supportedAlgorithms: `${base}/v1/services/supportedAlgorithms`,
    capabilities: `${base}/v1/services/capabilities`,
    status: `${base}/v1/services/status`,
  };
}

/** @param base the service's public address, without a trailing slash */
export function discoveryDocument(base: string): Discovery {
  return {
    apiEndpoint: `${base}/v1`,
    c2paSpecificationVersion: SPECIFICATION_VERSION,
    capabilitiesEndpoint: `${base}/v1/services/capabilities`,
    statusEndpoint: `${base}/v1/services/status`,
  };
}

export function statusDocument(status: ServiceStatus['status'], nowMs: number): ServiceStatus {
  return { status, timestamp: new Date(nowMs).toISOString().replace(/\.\d{3}Z$/, 'Z') };
}
