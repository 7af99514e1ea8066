/** Libraries to preload into a process (LD_PRELOAD), compiled from the C files of this folder. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** Compiles a C file into a folder and returns the path of the library. */
export function build(source: string, folder: string): string {
  const library = path.join(folder, source.replace(/\.c$/, '.so'));
  const flags = ['-shared', '-fPIC', '-Wall', '-Wextra', '-Werror'];
  execFileSync('cc', [...flags, '-o', library, path.join(import.meta.dirname, source), '-ldl']);
  return library;
}
