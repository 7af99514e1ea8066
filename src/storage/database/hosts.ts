/** Connection strings with several hosts: `postgresql://user@host1,host2/database?target_session_attrs=read-write`. */

const LOCATION = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^@/?]*)\/([^/?]*)(?:\?(.*))?$/s;
/** Only a primary server takes writes, so the others are never used: every value means the same. */
const SESSIONS: readonly (string | null)[] = [null, 'any', 'read-write', 'primary'];

export interface Hosts {
  /** One connection string per host, without the parameters of this program. */
  readonly hosts: readonly string[];
  readonly parameters: URLSearchParams;
}

/**
 * @param own names of parameters that the server must not get
 * @returns `undefined` if the text is not such a connection string
 */
export function hostsOf(location: string, own: readonly string[] = []): Hosts | undefined {
  const match = LOCATION.exec(location);
  if (match === null) return undefined;
  const [, user, authority = '', database, query = ''] = match;
  const parameters = new URLSearchParams(query);
  const passed = new URLSearchParams(query);
  for (const name of [...own, 'target_session_attrs', 'host']) passed.delete(name);
  const of = (host: string, folder?: string) => {
    const all = new URLSearchParams(passed);
    if (folder !== undefined) all.set('host', folder);
    const rest = all.size === 0 ? '' : `?${all}`;
    return `postgresql://${user === undefined ? '' : `${user}@`}${host}/${database}${rest}`;
  };
  const folders = parameters.get('host')?.split(',');
  const hosts =
    folders?.map((folder) => of(authority, folder)) ?? authority.split(',').map((host) => of(host));
  return { hosts, parameters };
}

/** Whether `target_session_attrs` asks for what this program does. */
export function isWritableSession({ parameters }: Hosts): boolean {
  return SESSIONS.includes(parameters.get('target_session_attrs'));
}
