/** Finds misspelled variables, and variables of the reference programs, which would be ignored silently. */
import { lazily } from '../lazily.js';
import { ALL_VARIABLES } from './all.js';
import { searchVariables } from './search.js';
import { ConfigurationInvalid, type Environment } from './variable.js';

export interface UnknownVariable {
  readonly name: string;
  /** The most similar variable of this program, if any is similar. */
  readonly suggestion: string | undefined;
  /** One line for the user. */
  readonly message: string;
}

const PREFIXES = ['CODEWEB_', 'CODESDK_', 'INDEXSVC_', 'MSTORE_', 'RESOLVER_', 'ISCCD_'];

/** Prefixes of the reference programs. Names keep their meaning after the prefix. */
const FORMER_PREFIXES: Readonly<Record<string, string>> = {
  ISCC_WEB_: 'CODEWEB_',
  ISCC_SDK_: 'CODESDK_',
  ISCC_SEARCH_: 'INDEXSVC_',
};

/** Probably meant as the key of the search service. */
const SEARCH_SECRET = /^(?:INDEXSVC|ISCC_SEARCH)_.*(?:SECRET|KEY|TOKEN|PASSWORD)/;

/** Variables of commands, scripts, containers and tests; services do not read them. */
const OF_TOOLS =
  /^ISCCD_(?:(?:FROM_|TO_)?API_KEY|STORE_TOKEN|TEST_\w+|SETUP_\w+|TORTURE_\w+|FUZZ_\w+|NPM_FLAGS|DOMAIN|OPERATORS|PORT|STORE_URL|AUDIT|BENCH_VENV|DOCS_ROOT|KEEP_DATA|MUTATIONS)$/;

/** Variables that other programs read too: what is similar may be theirs. */
const OF_OTHERS = /^(?:AWS|OTEL)_|^[A-Z]+_PROXY$/;
/** With a misspelled prefix, or none of ours, at most this many characters differ from a variable of this length. */
const MISSPELLED_MAX = 2;
const MISSPELLED_LENGTH_MIN = 9;

/** Set by Kubernetes for a service that is called `resolver`, for example. */
const OF_KUBERNETES = /_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT_\d+_(?:TCP|UDP)(?:_\w+)?)$/;

/** Variables that look like those of this program but are not. Empty ones count as unset. */
export function unknownVariables(environment: Environment): UnknownVariable[] {
  const known = new Set(ALL_VARIABLES.map(({ name }) => name));
  return Object.keys(environment)
    .filter((name) => environment[name] && !known.has(name) && (isOurs(name) || isMisspelled(name)))
    .sort()
    .map((name) => unknown(name, known));
}

/**
 * A key under a wrong name must not result in a public search service.
 *
 * @throws {ConfigurationInvalid} if a variable that looks like `INDEXSVC_API_SECRET` is set, but that one is not
 */
export function checkApiSecretName(environment: Environment): void {
  const { name } = searchVariables.apiSecret;
  if (environment[name]) return;
  const misnamed = unknownVariables(environment).find(
    (variable) => variable.suggestion === name || SEARCH_SECRET.test(variable.name),
  );
  if (misnamed === undefined) return;
  throw new ConfigurationInvalid(
    `${misnamed.name} is set, but ${name} is not: rename it, or the search service would accept requests without a key`,
  );
}

function isOurs(name: string): boolean {
  if (OF_TOOLS.test(name) || OF_KUBERNETES.test(name)) return false;
  return [...PREFIXES, ...Object.keys(FORMER_PREFIXES)].some((prefix) => name.startsWith(prefix));
}

function isMisspelled(name: string): boolean {
  if (OF_TOOLS.test(name) || OF_OTHERS.test(name) || name.length < MISSPELLED_LENGTH_MIN) return false;
  const letters = lettersOf(name);
  return lettersOfKnown().some(
    ([candidate, ofCandidate]) =>
      Math.abs(candidate.length - name.length) <= MISSPELLED_MAX &&
      bits(letters & ~ofCandidate) <= MISSPELLED_MAX &&
      editDistance(name, candidate, MISSPELLED_MAX) <= MISSPELLED_MAX,
  );
}

/** Each known variable with its {@link lettersOf}. */
const lettersOfKnown = lazily(() => ALL_VARIABLES.map(({ name }) => [name, lettersOf(name)] as const));

/**
 * The letters of a name, one bit each. An edit removes or replaces one letter, so a name with more letters that another lacks
 * is further away than that many edits. This decides almost all pairs, which each start compares.
 */
function lettersOf(name: string): number {
  let letters = 0;
  for (let at = 0; at < name.length; at += 1) letters |= 1 << (name.charCodeAt(at) & 31);
  return letters;
}

function bits(value: number): number {
  let count = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

function unknown(name: string, known: ReadonlySet<string>): UnknownVariable {
  const former = Object.entries(FORMER_PREFIXES).find(([prefix]) => name.startsWith(prefix));
  const ours = former === undefined ? name : former[1] + name.slice(former[0].length);
  const suggestion = nearest(ours, known);
  const hint = suggestion === undefined ? 'remove it' : `did you mean ${suggestion}?`;
  return { name, suggestion, message: `${name} is not a variable of isccd; ${hint}` };
}

/** More differences than this share of the name, without its prefix, make it another name. */
const DIFFERENCE_MAX = 0.35;

function nearest(name: string, known: ReadonlySet<string>): string | undefined {
  let best: string | undefined;
  const rest = name.length - name.indexOf('_') - 1;
  let fewest = isOurs(name) ? Math.floor(rest * DIFFERENCE_MAX) : MISSPELLED_MAX;
  for (const candidate of known) {
    const distance = editDistance(name, candidate, fewest);
    if (distance < fewest || (distance === fewest && best === undefined))
      [best, fewest] = [candidate, distance];
  }
  return best;
}

/** Levenshtein distance, or some larger number than `most` if it is larger. */
function editDistance(a: string, b: string, most: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
    // Later rows are never smaller than the smallest value of this one.
    if (Math.min(...row) > most) break;
  }
  return row[b.length] ?? 0;
}
