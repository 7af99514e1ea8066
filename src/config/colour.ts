/** Colours, where a person looks: on terminals, and where `FORCE_COLOR` asks for them; never under `NO_COLOR`. */
import { inspect } from 'node:util';

/** Colours and weights by Node's names for them. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

export type Paint = (style: Style, text: string) => string;

/** The part of an output stream that matters; only terminals have all of it. */
interface Output {
  readonly isTTY?: boolean;
  hasColors?(): boolean;
}

/** A function that styles text for a stream, or leaves it as it is. */
export function painter(output: Output): Paint {
  if (!wantsColour(output)) return (_, text) => text;
  return (style, text) => {
    const [on, off] = inspect.colors[style] ?? [0, 0];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
}

function wantsColour(output: Output): boolean {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  // Node knows terminals that have none.
  return output.isTTY === true && (output.hasColors?.() ?? false);
}
