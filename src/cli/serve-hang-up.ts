/** Catches SIGHUP as soon as the command `serve` runs. `main.ts` imports it before everything that takes time. */
import { catchHangUps } from './hang-up.js';

// The arguments are not parsed yet; the name of a subcommand is always the first one.
if (process.argv[2] === 'serve') catchHangUps();
