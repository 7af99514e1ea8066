/**
 * Schemas of the soft-binding resolution API. Those named `c2pa.*` follow the definition of the Coalition
 * for Content Provenance and Authenticity (specification 2.4, CC BY 4.0); `isccId` is an extension.
 */
import { z } from 'zod';

/** Attribution for the description of a service that uses these schemas. */
export const SCHEMA_ATTRIBUTION =
  'Schemas named `c2pa.*` are taken from the C2PA Soft Binding Resolution API of the Coalition for Content ' +
  'Provenance and Authenticity (https://c2pa.org), licensed under CC BY 4.0.';

const uri = z.string().meta({ format: 'uri' });
const VERSION =
  'Version of the C2PA specification whose Soft Binding Resolution API semantics are implemented by ' +
  'this service endpoint, ' +
  'formatted as a Semantic Versioning (SemVer) string per https://semver.org. This value is not an ' +
  'independent API version ' +
  'and shall match the OpenAPI info.version field for the API definition implemented by the service endpoint';
const version = z
  .string()
  .regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/)
  .describe(VERSION)
  .meta({ example: '2.4.0' });

export const bindingQuery = z
  .object({
    alg: z
      .string()
      .describe('A string identifying the soft binding algorithm and version of that algorithm used'),
    value: z
      .string()
      .describe(
        'A base64-encoded string describing, in algorithm specific format, the value of the soft ' +
          'binding to be used as the query',
      ),
  })
  .meta({ id: 'c2pa.softBindingQuery' });

const match = z.object({
  manifestId: z.string().describe('Unique identifier of a matched C2PA Manifest'),
  endpoint: z
    .string()
    .optional()
    .describe(
      'Endpoint of a Soft Binding Resolution API from which the C2PA Manifest may be obtained. If the' +
        ' endpoint is absent then the C2PA Manifest is available from same endpoint the query was sent ' +
        'to using the /manifests endpoint',
    ),
  similarityScore: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      'An integer score in the range (0-100) representing the strength of match, if appropriate, ' +
        'where 0 is the weakest possible match and 100 is the strongest possible match',
    ),
  isccId: z.string().optional().describe('ISCC-ID of the declaration of the manifest (extension)'),
});

export const bindingMatches = z
  .object({ matches: z.array(match).optional() })
  .meta({ id: 'c2pa.softBindingQueryResult' });

const listed = (example: string, description: string) =>
  z.array(z.object({ alg: z.string().describe(description).meta({ example }) })).optional();

/** Without the `oneOf` of the definition's watermarks, which no list of algorithms fulfils. */
export const algorithmList = z
  .object({
    watermarks: listed('foo.bar.watermark.1', 'Unique identifier of a fingerprint algorithm'),
    fingerprints: listed('foo.bar.fingerprint.1', 'Unique identifier of a watermark algorithm'),
  })
  .describe(
    'list of the names of soft binding algorithms supported by this service. The authoritative list ' +
      'of name is available here: https://github.com/c2pa-org/softbinding-algorithm-list',
  )
  .meta({ id: 'c2pa.softBindingAlgList' });

export const serviceStatus = z
  .object({
    status: z
      .enum(['ok', 'degraded', 'down'])
      .describe('Current operational status of the service')
      .meta({ example: 'ok' }),
    timestamp: z
      .string()
      .optional()
      .describe('Time at which the status was generated')
      .meta({ format: 'date-time', example: '2024-01-01T00:00:00Z' }),
  })
  .describe('Operational status of the soft binding resolution service')
  .meta({ id: 'c2pa.serviceStatus' });

export const serviceCapabilities = z
  .object({
    c2paSpecificationVersion: version,
    supportedCapabilities: z
      .array(z.string())
      .describe(
        'List of optional capabilities supported by this service instance. Absence of a capability ' +
          'name from this list unambiguously indicates the capability is not supported. Clients should ' +
          'ignore unknown values, allowing future versions of this specification to introduce new ' +
          'capability names without breaking existing implementations. Known values are: queryByContent' +
          ' (POST /matches/byContent), queryByReference (POST /matches/byReference), storeManifests ' +
          '(POST /manifests and DELETE /manifests/{manifestId}), storeBindings (POST and PUT ' +
          '/bindings).',
      )
      .meta({ example: ['queryByContent', 'storeManifests', 'storeBindings'] }),
  })
  .describe('Capabilities of the soft binding resolution service')
  .meta({ id: 'c2pa.serviceCapabilities' });

export const discovery = z
  .object({
    apiEndpoint: uri
      .describe(
        'Base URI of the versioned C2PA Soft Binding Resolution API. The path segment, such as /v1, ' +
          'identifies the major compatibility version of the HTTP API surface and does not change for ' +
          'every C2PA specification minor or patch release',
      )
      .meta({ example: '/v1' }),
    c2paSpecificationVersion: version,
    capabilitiesEndpoint: uri
      .optional()
      .describe('URI of the capabilities endpoint for this service')
      .meta({ example: '/v1/services/capabilities' }),
    statusEndpoint: uri
      .optional()
      .describe('URI of the status endpoint for this service')
      .meta({ example: '/v1/services/status' }),
  })
  .describe('Discovery information for a C2PA Soft Binding Resolution service')
  .meta({ id: 'c2pa.wellKnownDiscovery' });

/** Query parameter of fetches. */
export const returnActiveManifest = z
  .unknown()
  .optional()
  .describe('Accepted and ignored: the response is the whole Manifest Store')
  .meta({ type: 'boolean', default: false });

export type BindingMatch = z.infer<typeof match>;
export type AlgorithmList = z.infer<typeof algorithmList>;
export type ServiceCapabilities = z.infer<typeof serviceCapabilities>;
export type ServiceStatus = z.infer<typeof serviceStatus>;
export type Discovery = z.infer<typeof discovery>;
