/** Password rules, and hashing with argon2id. */
import { hash, verify } from '@node-rs/argon2';
import { COMMON_PASSWORDS } from './common-passwords.js';

export const PASSWORD_CHARACTERS_MIN = 12;
/** Limits the time for hashing. */
export const PASSWORD_CHARACTERS_MAX = 1024;
const DISTINCT_CHARACTERS_MIN = 4;

/** OWASP's first recommendation for argon2id: 19 MiB, 2 passes, 1 lane. */
const COST = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;

/** The rule that a password breaks, in words; `undefined` if it is acceptable. */
export function passwordFault(password: string, username: string): string | undefined {
  const characters = [...password];
  const lower = password.toLowerCase();
  if (characters.length < PASSWORD_CHARACTERS_MIN)
    return `must have at least ${PASSWORD_CHARACTERS_MIN} characters`;
  if (characters.length > PASSWORD_CHARACTERS_MAX)
    return `must have at most ${PASSWORD_CHARACTERS_MAX} characters`;
  if (/^\d+$/.test(password)) return 'must not consist of digits only';
  if (lower === username.toLowerCase()) return 'must not be the user name';
  if (COMMON_PASSWORDS.has(lower)) return 'is one of the most common passwords';
  if (new Set(characters).size < DISTINCT_CHARACTERS_MIN)
    return `must have at least ${DISTINCT_CHARACTERS_MIN} different characters`;
  return undefined;
}

/** Runs off the event loop. */
export function hashPassword(password: string): Promise<string> {
  return hash(normalized(password), COST);
}

/**
 * Whether a password matches a hash. Without a hash the same work is done, so that the response time does not reveal
 * which names exist.
 */
export async function passwordMatches(hashed: string | undefined, password: string): Promise<boolean> {
  const matches = await verify(hashed ?? DUMMY_HASH, normalized(password));
  return matches && hashed !== undefined;
}

/** NFKC, because keyboards produce one character in several forms. Input too long for a password is cut: it can't match. */
function normalized(password: string): string {
  return password.slice(0, PASSWORD_CHARACTERS_MAX * 2).normalize('NFKC');
}

/** Hash of a discarded random password, at {@link COST}. */
const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$3OexdZ8W6KBqMJFfvKaUmA$s48ZuP+Q2IXsVb4wm1giD+byMonAYj3ZwtIcKTXRFks';
