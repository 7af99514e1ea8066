/** Which services the start pages offer together. */
import { z } from 'zod';
import { webAddress } from './schemas.js';
import type { Variable } from './variable.js';

/** Origins by service name, or `auto`: the services of this process. */
export type ConsoleSetting = 'auto' | 'off' | Readonly<Record<string, string>>;

const NAMES = ['codes', 'search', 'store', 'resolver'];
const RULE =
  'must be auto, off, or addresses such as codes=https://codes.example.org search=https://search.example.org';

const address = webAddress();

function consoleSetting(): z.ZodType<ConsoleSetting, string> {
  return z.string().transform((text, context) => {
    const setting = text.trim().toLowerCase();
    if (setting === 'auto' || setting === 'off') return setting;
    const origins = text.split(/[\s,]+/).filter((entry) => entry !== '');
    const parsed = origins.map(parseOrigin);
    if (parsed.length > 0 && parsed.every((entry) => entry !== undefined)) return Object.fromEntries(parsed);
    context.addIssue({ code: 'custom', message: RULE });
    return z.NEVER;
  });
}

function parseOrigin(entry: string): [string, string] | undefined {
  const [, name = '', url = ''] = /^(\w+)=(\S+)$/.exec(entry) ?? [];
  const parsed = address.safeParse(url);
  if (!NAMES.includes(name) || !parsed.success || new URL(parsed.data).pathname !== '/') return undefined;
  return [name, new URL(parsed.data).origin];
}

export const consoleVariable = {
  name: 'ISCCD_CONSOLE',
  schema: consoleSetting(),
  default: 'auto',
  description:
    'Services that the start pages offer together: `auto` (those of this process, for browsers that use their ports ' +
    'directly), `off`, or their public addresses, `NAME=ORIGIN` separated by spaces or commas. Pages of these origins ' +
    'may call the service',
} as const satisfies Variable;
