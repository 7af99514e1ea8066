/** `isccd compare A B`: similarity of two codes, unit by unit. */
import { native } from '../../native.js';
import { painter } from '../terminal/colour.js';
import { CommandFailed, reason } from '../terminal/failure.js';

const BAR_CHARACTERS = 20;

export function compare(a: string, b: string, options: { json?: boolean }): void {
  const units = compared(a, b);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(units)}\n`);
    return;
  }
  const paint = painter(process.stdout);
  for (const { kind, similarity, bits } of units) {
    const filled = Math.round(similarity * BAR_CHARACTERS);
    const bar = paint('green', '#'.repeat(filled)) + paint('dim', '.'.repeat(BAR_CHARACTERS - filled));
    const percent = `${(similarity * 100).toFixed(1)} %`.padStart(8);
    process.stdout.write(`${kind.padEnd(20)} ${bar} ${percent} of ${bits} bits\n`);
  }
}

function compared(a: string, b: string) {
  try {
    const units = native.compareCodes(a, b);
    if (units.length === 0) throw new CommandFailed('the codes have no units of the same type');
    return units;
  } catch (error) {
    throw error instanceof CommandFailed ? error : new CommandFailed(reason(error));
  }
}
