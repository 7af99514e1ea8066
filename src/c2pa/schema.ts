/**
 * Schemas of the soft-binding resolution API. Those named `c2pa.*` follow the definition of the Coalition
 * for Content Provenance and Authenticity (specification 2.4, CC BY 4.0); `isccId` is an extension.
 */
import { z } from 'zod';

/** Attribution for the description of a service that uses these schemas. */
export const SCHEMA_ATTRIBUTION =
  'Schemas named `c2pa.*` are taken from the C2PA Soft Binding Resolution API of the Coalition for Content ' +
  'Provenance and Authenticity (https://c2pa.org), licensed under CC BY 4.0.';

const absoluteUrl = z.string().meta({ format: 'uri' });

export const bindingQuery = z
  .object({
    alg: z.string().describe('Identifier of the soft-binding algorithm'),
    value: z.string().describe('The binding value in Base64'),
  })
  .meta({ id: 'c2pa.softBindingQuery' });

export const bindingMatches = z
  .object({
    matches: z.array(
      z.object({
        manifestId: z.string().describe('Label of the active manifest'),
        endpoint: absoluteUrl
          .optional()
          .describe('The manifest is at `{endpoint}/manifests/{manifestId}`; if absent, at this service'),
        similarityScore: z
          .int()
          .min(0)
          .max(100)
          .optional()
          .describe(
            '100 for an exact match or an equal Instance-Code, otherwise the best similarity of a unit',
          ),
        isccId: z.string().optional().describe('ISCC-ID of the declaration of the manifest (extension)'),
      }),
    ),
  })
  .meta({ id: 'c2pa.softBindingQueryResult' });

const algorithms = z.array(z.object({ alg: z.string() }));

export const algorithmList = z
  .object({ watermarks: algorithms, fingerprints: algorithms })
  .meta({ id: 'c2pa.softBindingAlgList' });

export const serviceStatus = z
  .object({
    status: z.enum(['ok', 'degraded', 'down']),
    timestamp: z.string().meta({ format: 'date-time' }).describe('UTC, whole seconds'),
  })
  .meta({ id: 'c2pa.serviceStatus' });

export const serviceCapabilities = z
  .object({
    c2paSpecificationVersion: z.string().regex(/^\d+\.\d+\.\d+$/),
    supportedCapabilities: z.array(
      z.enum(['queryByContent', 'queryByReference', 'storeManifests', 'storeBindings']),
    ),
  })
  .meta({ id: 'c2pa.serviceCapabilities' });

export const discovery = z
  .object({
    apiEndpoint: absoluteUrl,
    c2paSpecificationVersion: z.string().regex(/^\d+\.\d+\.\d+$/),
    capabilitiesEndpoint: absoluteUrl,
    statusEndpoint: absoluteUrl,
  })
  .meta({ id: 'c2pa.wellKnownDiscovery' });

export type BindingMatch = z.infer<typeof bindingMatches>['matches'][number];
export type AlgorithmList = z.infer<typeof algorithmList>;
export type ServiceCapabilities = z.infer<typeof serviceCapabilities>;
export type ServiceStatus = z.infer<typeof serviceStatus>;
export type Discovery = z.infer<typeof discovery>;
