/** Cookies (RFC 6265): reading one, and the line that sets one. */

export interface Cookie {
  readonly name: string;
  /** Characters that need no quoting, such as base64url. */
  readonly value: string;
  /** Sent with requests below this path. */
  readonly path: string;
  /** 0 removes the cookie. */
  readonly maxAgeSeconds: number;
  /** Sent over https only. */
  readonly secure: boolean;
}

/** The value of the first cookie of this name: the one with the longest path, which browsers send first. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const mark = pair.indexOf('=');
    if (mark > 0 && pair.slice(0, mark).trim() === name) return pair.slice(mark + 1).trim();
  }
  return undefined;
}

/** A Set-Cookie line. Scripts never see such a cookie, and other sites' forms do not send it. */
export function cookieLine({ name, value, path, maxAgeSeconds, secure }: Cookie): string {
  const line = `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`;
  return secure ? `${line}; Secure` : line;
}
