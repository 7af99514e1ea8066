/** Cookies (RFC 6265): read one, and build the header that sets one. */

export interface Cookie {
  readonly name: string;
  /** Only characters that need no quoting, such as base64url. */
  readonly value: string;
  /** The browser sends the cookie to this path and below. */
  readonly path: string;
  /** 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
  /** Whether the cookie is sent over https only. */
  readonly secure: boolean;
}

/** The value of the first cookie with this name. Browsers send the one with the longest path first. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const mark = pair.indexOf('=');
    if (mark > 0 && pair.slice(0, mark).trim() === name) return pair.slice(mark + 1).trim();
  }
  return undefined;
}

/** A Set-Cookie value. The cookie is hidden from scripts and not sent with forms of other sites. */
export function cookieLine({ name, value, path, maxAgeSeconds, secure }: Cookie): string {
  const line = `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`;
  return secure ? `${line}; Secure` : line;
}
