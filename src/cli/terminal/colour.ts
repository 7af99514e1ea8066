/** Colours for terminals: on if the terminal supports them, or as `NO_COLOR` and `FORCE_COLOR` say. */
import { inspect } from 'node:util';
import {
  type ColourPreference,
  colourPreference,
  hasColours,
  type Output,
} from '../../platform/config/terminal.js';

/** Names as in `util.inspect.colors`. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

export type Paint = (style: Style, text: string) => string;

/** A function that styles text for a stream, or returns it unchanged. */
export function painter(output: Output, preference: ColourPreference = colourPreference()): Paint {
  if (!hasColours(output, preference)) return (_, text) => text;
  return (style, text) => {
    const [on, off] = inspect.colors[style] ?? [0, 0];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
}
