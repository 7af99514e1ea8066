/**
 * The areas whose tests are judged by mutants: the sources, and the tests that run them in the process of the test. Tests
 * that start the built program do not see a mutant.
 *
 * @typedef {object} Area
 * @property {string} name
 * @property {'cargo' | 'stryker'} tool
 * @property {readonly string[]} sources globs for cargo-mutants, files or folders for Stryker
 * @property {string} [crate]
 * @property {readonly string[]} tests options of `cargo test`, or test files
 * @property {readonly string[]} [only] parts of the names of the Rust tests; unit tests have `tests::`
 */

/** @type {readonly Area[]} */
export const AREAS = [
  {
    name: 'codec',
    tool: 'cargo',
    crate: 'iscc-codec',
    sources: ['crates/iscc-codec/src/**/*.rs'],
    tests: [],
  },
  {
    name: 'scoring',
    tool: 'cargo',
    crate: 'iscc-search',
    sources: ['crates/iscc-search/src/score.rs', 'crates/iscc-search/src/score/**/*.rs'],
    tests: ['--lib', '--test', 'all'],
    only: ['tests::', 'recorded::', 'similar::', 'typed::', 'scan::'],
  },
  {
    name: 'early-end',
    tool: 'cargo',
    crate: 'iscc-search',
    sources: ['crates/iscc-search/src/search/early.rs'],
    tests: ['--lib', '--test', 'all'],
    only: ['tests::', 'early_end::'],
  },
  {
    name: 'early-steps',
    tool: 'cargo',
    crate: 'iscc-index',
    sources: ['crates/iscc-index/src/pass/step.rs'],
    tests: [],
  },
  {
    name: 'manifests',
    tool: 'cargo',
    crate: 'c2pa-manifest',
    sources: ['crates/c2pa-manifest/src/**/*.rs'],
    tests: [],
  },
  {
    name: 'limits',
    tool: 'stryker',
    sources: [
      'src/platform/config/rate.ts',
      'src/platform/ip-address.ts',
      'src/platform/limits',
      'src/http/head/client-address.ts',
    ],
    tests: ['test/http/headers.test.ts', 'test/limits/limits.test.ts', 'test/limits/redis.test.ts'],
  },
  {
    name: 'auth',
    tool: 'stryker',
    sources: [
      'src/services/dashboard/csrf.ts',
      'src/services/dashboard/accounts/sessions.ts',
      'src/services/search/keys',
      'src/services/store/tokens',
    ],
    tests: [
      'test/admin/login.test.ts',
      'test/admin/sessions.test.ts',
      'test/admin/tokens.test.ts',
      'test/search/key-file.test.ts',
      'test/search/keys.test.ts',
      'test/store/tokens.test.ts',
      'test/store/upload-tokens.test.ts',
    ],
  },
  {
    name: 'records',
    tool: 'stryker',
    sources: ['src/services/codes/uploads/records.ts', 'src/services/codes/uploads/cleanup.ts'],
    tests: ['test/codes/records.test.ts', 'test/codes/cleanup.test.ts', 'test/codes/service.test.ts'],
  },
  {
    name: 'declarations',
    tool: 'stryker',
    sources: ['src/services/store/declarations'],
    tests: [
      'test/store/declarations/answers.test.ts',
      'test/store/declarations/crashes.test.ts',
      'test/store/declarations/declaring.test.ts',
      'test/store/declarations/exchanges.test.ts',
      'test/store/declarations/hub-answers.test.ts',
      'test/store/declarations/hub-client.test.ts',
      'test/store/declarations/limits.test.ts',
      'test/store/declarations/lookups.test.ts',
      'test/store/declarations/machine.test.ts',
      'test/store/declarations/restoring.test.ts',
      'test/store/declarations/rows.test.ts',
      'test/store/declarations/transitions.test.ts',
      'test/store/declarations/vectors.test.ts',
      'test/store/declarations/withdrawing.test.ts',
    ],
  },
];
