/** Options that several commands share. */
import { Option } from 'commander';

export function jsonOption(): Option {
  return new Option('--json', 'machine-readable output');
}

/** For commands that always print JSON lines: accepted so that `--json` works with every command. */
export function alwaysJsonOption(): Option {
  return new Option('--json', 'machine-readable output (always on for this command)');
}
