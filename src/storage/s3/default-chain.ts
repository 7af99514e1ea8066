/** The sources of credentials that AWS's own clients read. Imported only if the variables have no keys. */
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { Credentials, S3Config } from '../../platform/config/s3.js';
import { tunnelAgent } from '../../platform/egress/node-agent.js';

/** Of each request to a metadata service. On machines without one, the first request of a process waits for it. */
const REQUEST_MS_MAX = 1_000;
const RETRIES = 1;

/**
 * Credentials of the standard files, a web identity, the container or the instance. Temporary ones are renewed before
 * they expire.
 */
export function defaultChain(config: S3Config): () => Promise<Credentials> {
  const { profile, credentialsFile, configFile, webIdentityTokenFile, roleArn, region } = config;
  // For the token service. Metadata services of the container or machine have no TLS, and are connected to directly.
  const httpsAgent = tunnelAgent();
  return defaultProvider({
    ...(profile !== undefined && { profile }),
    ...(credentialsFile !== undefined && { filepath: credentialsFile }),
    ...(configFile !== undefined && { configFilepath: configFile }),
    ...(webIdentityTokenFile !== undefined && { webIdentityTokenFile }),
    ...(roleArn !== undefined && { roleArn }),
    timeout: REQUEST_MS_MAX,
    maxRetries: RETRIES,
    clientConfig: { region, ...(httpsAgent && { requestHandler: { httpsAgent } }) },
    ignoreCache: true,
  });
}
