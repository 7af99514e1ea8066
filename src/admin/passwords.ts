/** Passwords: what makes one good enough, and argon2id. */
import { hash, verify } from '@node-rs/argon2';
import { COMMON_PASSWORDS } from './common-passwords.js';

export const PASSWORD_CHARACTERS_MIN = 12;
/** Longer ones only cost time. */
export const PASSWORD_CHARACTERS_MAX = 1024;
const DISTINCT_CHARACTERS_MIN = 4;

/** OWASP's first choice for argon2id: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

/** Why a password is not good enough, in words; `undefined` if it is. */
export function passwordFault(password: string, username: string): string | undefined {
  const characters = [...password];
  const lower = password.toLowerCase();
  if (characters.length < PASSWORD_CHARACTERS_MIN)
    return `must have at least ${PASSWORD_CHARACTERS_MIN} characters`;
  if (characters.length > PASSWORD_CHARACTERS_MAX)
    return `must have at most ${PASSWORD_CHARACTERS_MAX} characters`;
  if (/^\d+$/.test(password)) return 'must not be made of digits alone';
  if (lower === username.toLowerCase()) return 'must not be the user name';
  if (COMMON_PASSWORDS.has(lower)) return 'is one of the most common ones';
  if (new Set(characters).size < DISTINCT_CHARACTERS_MIN)
    return `must have at least ${DISTINCT_CHARACTERS_MIN} different characters`;
  return undefined;
}

/** Runs off the event loop. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalized(password), COST);
}

/**
 * Whether a password is the one behind a hash. Without a hash the work is done all the same, so that the time
 * does not tell which names exist.
 */
export async function passwordMatches(hashed: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(hashed ?? NOBODYS_HASH, normalized(password));
  return matches && hashed !== undefined;
}

/** Keyboards write one character in several ways. What is longer than any password is cut: it can't match. */
function normalized(password: string): string {
  return password.slice(0, PASSWORD_CHARACTERS_MAX * 2).normalize('NFKC');
}

/** Of a random password that nobody kept, at {@link COST}. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$3OexdZ8W6KBqMJFfvKaUmA$s48ZuP+Q2IXsVb4wm1giD+byMonAYj3ZwtIcKTXRFks';
