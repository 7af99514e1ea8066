/** The option that every command with a result has. */
import { Option } from 'commander';

export function jsonOption(): Option {
  return new Option('--json', 'machine-readable output');
}

/** For commands whose results are JSON, one a line, whether it is asked for or not. */
export function alwaysJsonOption(): Option {
  return new Option('--json', 'machine-readable output, as always');
}
