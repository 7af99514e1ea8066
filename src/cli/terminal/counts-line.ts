/** `store     3 manifests, 1 tombstones`: what backups and checks say of one service's data. */
import type { Counts } from '../../data/port.js';

export function countsLine(kind: string, counts: Counts): string {
  const told = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return `${kind.padEnd(9)} ${told.join(', ') || 'nothing'}\n`;
}
