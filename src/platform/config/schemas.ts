/** The value types of variables. Every message continues the sentence `NAME="value" ...`. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { canonicalAddress } from '../ip-address.js';
import { parseRate, type Rate } from './rate.js';

export function text(rule = 'must not be empty'): z.ZodType<string, string> {
  return z.string().trim().min(1, rule);
}

/** An address to listen on: an IP address, or a name of this machine. */
export function listenAddress(): z.ZodType<string, string> {
  const rule = 'must be an IP address or a host name; 0.0.0.0 and :: listen on all addresses';
  return z
    .string()
    .trim()
    .refine((host) => isIP(host) !== 0 || /^(?!-)[\w.-]+$/.test(host), rule);
}

/** `true`, `false`, `1`, `0`, `yes`, `no`, `on`, `off` in any case. */
export function boolean(): z.ZodType<boolean, string> {
  return z.stringbool({
    truthy: ['true', '1', 'yes', 'on'],
    falsy: ['false', '0', 'no', 'off'],
    error: 'must be true or false',
  });
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): z.ZodType<number, string> {
  const rule = `must be an integer from ${min} to ${max}`;
  return z
    .string()
    .trim()
    .regex(/^[+-]?\d{1,16}$/, rule)
    .transform(Number)
    .pipe(z.number().min(min, rule).max(max, rule));
}

export function port(): z.ZodType<number, string> {
  return integer(0, 65_535);
}

/** A port, or `undefined` for `off`. */
export function portOrOff(): z.ZodType<number | undefined, string> {
  return orOff(port(), 'must be an integer from 0 to 65535');
}

/** The value, or `undefined` for `off`. */
export function orOff<T>(schema: z.ZodType<T, string>, rule: string): z.ZodType<T | undefined, string> {
  const off = z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.literal('off'))
    .transform(() => undefined);
  return z.union([off, schema], { error: `${rule}, or off` });
}

export function oneOf<const T extends readonly [string, ...string[]]>(
  ...values: T
): z.ZodType<T[number], string> {
  const lower = z.string().trim().toLowerCase();
  return lower.pipe(z.enum(values, `must be one of ${values.join(', ')}`));
}

const WEB_ADDRESS_RULE = 'must be an absolute http or https address without a query';

/** An address, or `undefined` for `off`. */
export function webAddressOrOff(): z.ZodType<string | undefined, string> {
  return orOff(webAddress(), WEB_ADDRESS_RULE);
}

/**
 * An absolute http or https address without a query; trailing slashes are removed.
 *
 * @param mayHaveKey whether a user name, such as a key, may precede the host
 */
export function webAddress({ mayHaveKey = false } = {}): z.ZodType<string, string> {
  const rule = WEB_ADDRESS_RULE;
  return z
    .string()
    .trim()
    .refine((address) => isWebAddress(address, mayHaveKey), rule)
    .transform((address) => address.replace(/\/+$/, ''));
}

function isWebAddress(address: string, mayHaveKey = false): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  // The parsed parts do not show an empty query or fragment. A password would leak into logs.
  const isPlain = !/[?#]/.test(address) && (mayHaveKey || (username === '' && password === ''));
  return (protocol === 'http:' || protocol === 'https:') && isPlain;
}

const INDEX_LOCATION = /^(?:memory:\/\/$|(?:lmdb|usearch):\/\/\/.|postgres(?:ql)?:|opensearch\+https?:)/s;

/** Where the indexes of the search service are. Each engine parses the rest. */
export function indexLocation(): z.ZodType<string, string> {
  const rule =
    'must be memory://, lmdb:///path, usearch:///path, postgresql://user@host/database or opensearch+https://host:9200/prefix';
  return z.string().trim().regex(INDEX_LOCATION, rule);
}

/** Names of indexes or aliases, separated by spaces or commas. */
export function indexNameList(): z.ZodType<string, string> {
  const rule =
    'must be names of indexes (at most 32 characters: a lower-case letter, then lower-case letters and digits), separated by commas';
  const name = '[a-z][a-z0-9]{0,31}';
  return z
    .string()
    .trim()
    .regex(new RegExp(`^${name}(?:[\\s,]+${name})*,?$`), rule);
}

/** Web origins separated by spaces or commas, or `*` for any. */
export function origins(): z.ZodType<readonly string[], string> {
  const rule = 'must be origins such as https://example.org, separated by spaces or commas, or *';
  return z
    .string()
    .transform((list) => list.split(/[\s,]+/).filter((entry) => entry !== ''))
    .refine((list) => list.every(isOrigin), rule)
    .transform((list) => list.map((entry) => (entry === '*' ? entry : new URL(entry).origin)));
}

/** Origins of web servers; `*.` before the host stands for its subdomains. */
export function sourceOrigins(): z.ZodType<readonly string[], string> {
  return origins().refine(
    (list) => !list.includes('*'),
    'must be origins such as https://example.org or https://*.example.org, separated by spaces or commas',
  );
}

function isOrigin(entry: string): boolean {
  if (entry === '*') return true;
  return isWebAddress(entry) && new URL(entry).pathname === '/';
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** A log level in upper or lower case; `warning` and `critical` are aliases. */
export function logLevel(): z.ZodType<(typeof LOG_LEVELS)[number], string> {
  const aliases: Readonly<Record<string, string>> = { warning: 'warn', critical: 'fatal' };
  return z
    .string()
    .trim()
    .toLowerCase()
    .transform((level) => aliases[level] ?? level)
    .pipe(z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`));
}

export function number(min: number, max: number): z.ZodType<number, string> {
  const rule = `must be a number from ${min} to ${max}`;
  return z
    .string()
    .trim()
    .regex(/^\d+(\.\d+)?$/, rule)
    .transform(Number)
    .pipe(z.number().min(min, rule).max(max, rule));
}

/** `count/period`; the period is s, m, h or d. */
export function rate(): z.ZodType<Rate, string> {
  const rule = 'must be a rate such as 10/m: a whole number, a slash, and one of s, m, h, d';
  return z.string().transform((text, context) => parseRate(text) ?? refused(context, rule));
}

/** IP addresses and networks such as `10.0.0.0/8`, separated by commas. */
export function networks(): z.ZodType<readonly string[], string> {
  const rule = 'must be IP addresses, or networks such as 10.0.0.0/8, separated by commas';
  return z.string().transform((list, context) => {
    const given = commaList(list);
    const canonical = given.map((one) => (one.includes('/') ? canonicalNetwork(one) : canonicalAddress(one)));
    const valid = canonical.filter((one) => one !== undefined);
    return valid.length === given.length ? valid : refused(context, rule);
  });
}

function canonicalNetwork(text: string): string | undefined {
  if (!ipaddr.isValidCIDR(text)) return undefined;
  const [address, bits] = ipaddr.parseCIDR(text);
  return `${address}/${bits}`;
}

/** Host names separated by commas, in lower case. */
export function hostNames(): z.ZodType<readonly string[], string> {
  const rule = 'must be host names without port, separated by commas';
  return z
    .string()
    .transform((list) => commaList(list.toLowerCase()))
    .refine((names) => names.every((name) => /^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(name)), rule);
}

function commaList(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function refused(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
