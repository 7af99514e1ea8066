/** How `pg_dump` connects to the database that the package pg connects to. */

const URL_PARTS = /^(postgres(?:ql)?:\/\/)(?:([^:@/?]*)(?::([^@/?]*))?@)?([^?]*)(?:\?(.*))?$/s;

export interface DumpConnection {
  /** Without a password: every user of the machine can read arguments. */
  readonly address: string;
  /** Variables of `pg_dump`. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * @param url `DATABASE_URL`
 * @param certificates file with certificates that Node.js trusts, too (`NODE_EXTRA_CA_CERTS`)
 */
export function dumpConnection(url: string, certificates?: string): DumpConnection {
  const [, scheme = '', user, ownPassword, place = '', query] = URL_PARTS.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const password = parameters.get('password') ?? (ownPassword && unescaped(ownPassword));
  parameters.delete('password');
  // Known to pg alone.
  parameters.delete('uselibpqcompat');
  if (parameters.get('sslmode') === 'no-verify') parameters.set('sslmode', 'require');
  // Snapshots are those of one server: that with the open transaction, which can be written.
  const [authority = ''] = place.split('/');
  const hasSeveral = [authority, parameters.get('host') ?? ''].some((hosts) => hosts.includes(','));
  if (hasSeveral) parameters.set('target_session_attrs', 'read-write');
  const isVerified = parameters.get('sslmode')?.startsWith('verify-') && !parameters.has('sslrootcert');
  // Not as a form: pg_dump reads a + as it is.
  const encoded = [...parameters].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return {
    address: `${scheme}${user === undefined ? '' : `${user}@`}${place}${encoded && `?${encoded}`}`,
    variables: {
      ...(password && { PGPASSWORD: password }),
      ...(isVerified && certificates && { PGSSLROOTCERT: certificates }),
    },
  };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
