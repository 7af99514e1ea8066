/** Options that several commands share. */
import { Option } from 'commander';

export function jsonOption(): Option {
  return new Option('--json', 'machine-readable output');
}

/** A secret, which the environment does not show to other users of the machine. */
export function keyOption(flags: string, description: string, variable: string): Option {
  return new Option(flags, description).env(variable);
}

/** For commands that always print JSON lines: accepted so that `--json` works with every command. */
export function alwaysJsonOption(): Option {
  return new Option('--json', 'machine-readable output (always on for this command)');
}
