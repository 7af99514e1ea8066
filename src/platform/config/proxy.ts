/** Variables of the proxy for outgoing connections. */
import { boolean, text } from './schemas.js';
import {
  ConfigurationInvalid,
  defineVariables,
  type Environment,
  readVariables,
  withoutPassword,
} from './variable.js';

export const proxyVariables = defineVariables({
  httpProxy: {
    name: 'ISCCD_HTTP_PROXY',
    schema: text(),
    secret: 'password',
    defaultShown: 'direct connections',
    description:
      'Proxy for all outgoing HTTP and HTTPS: `http://[USER:PASSWORD@]HOST:PORT`, or `https://` with TLS to the proxy. The resolver, a store and OpenSearch that isccd is configured to use, databases and Redis are connected to directly',
  },
  useEnvProxy: {
    name: 'ISCCD_USE_ENV_PROXY',
    schema: boolean(),
    default: 'false',
    description:
      'Whether `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` apply, which other programs read as well. `ISCCD_HTTP_PROXY` precedes the first two',
  },
  envHttpsProxy: {
    name: 'HTTPS_PROXY',
    schema: text(),
    secret: 'password',
    defaultShown: '',
    description: 'Proxy for HTTPS, if `ISCCD_USE_ENV_PROXY` is true. `https_proxy` precedes it',
  },
  envHttpProxy: {
    name: 'HTTP_PROXY',
    schema: text(),
    secret: 'password',
    defaultShown: '',
    description: 'Proxy for HTTP without TLS, if `ISCCD_USE_ENV_PROXY` is true. `http_proxy` precedes it',
  },
  noProxy: {
    name: 'NO_PROXY',
    schema: text(),
    defaultShown: '',
    description:
      'Servers that are connected to directly, if `ISCCD_USE_ENV_PROXY` is true: host names with their subdomains, IP addresses and networks such as `10.0.0.0/8`, each with an optional `:PORT`, separated by commas; `*` for all. `no_proxy` precedes it',
  },
  proxyResolves: {
    name: 'ISCCD_PROXY_RESOLVES',
    schema: boolean(),
    default: 'false',
    description:
      'Whether the proxy resolves host names that clients or others choose, and refuses private addresses itself. Otherwise isccd resolves them, refuses addresses that are not public, and requests a tunnel to the address',
  },
});

export interface ProxyConfig {
  readonly https: URL | undefined;
  /** For servers without TLS. */
  readonly http: URL | undefined;
  /** As in `NO_PROXY`. */
  readonly exceptions: readonly string[];
  /** Whether the proxy decides which addresses are public. */
  readonly resolves: boolean;
}

/** @throws {ConfigurationInvalid} */
export function readProxyConfig(environment: Environment): ProxyConfig {
  const values = readVariables(proxyVariables, environment);
  const { httpProxy, envHttpsProxy, envHttpProxy, noProxy } = proxyVariables;
  const own = proxyAddress(httpProxy.name, values.httpProxy);
  const ofEnvironment = (name: string) => {
    const lower = name.toLowerCase();
    const used = environment[lower] ? lower : name;
    return values.useEnvProxy ? { name: used, value: environment[used] || undefined } : undefined;
  };
  const shared = (name: string) => {
    const found = own === undefined ? ofEnvironment(name) : undefined;
    return found && proxyAddress(found.name, found.value);
  };
  return {
    https: own ?? shared(envHttpsProxy.name),
    http: own ?? shared(envHttpProxy.name),
    exceptions: (ofEnvironment(noProxy.name)?.value ?? '').split(/[\s,]+/).filter((entry) => entry !== ''),
    resolves: values.proxyResolves,
  };
}

/** Other programs accept an address without `http://`. */
function proxyAddress(name: string, value: string | undefined): URL | undefined {
  if (value === undefined) return undefined;
  const address = value.includes('://') ? value.trim() : `http://${value.trim()}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPlain = url !== undefined && url.pathname === '/' && !/[?#]/.test(address);
  if (isPlain && /^https?:$/.test(url.protocol)) return url;
  throw new ConfigurationInvalid(
    `${name}=${withoutPassword(value)} must be the address of an HTTP proxy, such as http://proxy.example.com:3128; SOCKS is not supported`,
  );
}
