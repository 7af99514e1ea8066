/** `npm run test:rust -- ARGS`: `cargo test ARGS` in the addon's build profile, so that dependencies are not compiled again. */
import { run } from './lib.mjs';
import { addonProfile } from './setup.mjs';

const args = process.argv.slice(2);
const packages = args.some((argument) => /^(-p|--package)/.test(argument)) ? [] : ['--workspace'];
run('cargo', ['test', ...packages, '--locked', '--quiet', ...addonProfile(), ...args]);
