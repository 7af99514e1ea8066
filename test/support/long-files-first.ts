/** The order of test files: those that take minutes start first, so that no long file runs alone at the end. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of more than 90 seconds beside others on two cores, the longest first. */
const LONG = [
  'test/torture/schema.test.ts',
  'test/bench.test.ts',
  'test/store/webhooks.test.ts',
  'test/torture/bombs.test.ts',
  'test/admin/overview.test.ts',
  'test/torture/kill-all.test.ts',
  'test/faults/power-loss.test.ts',
  'test/codes/http/openapi.test.ts',
  'test/store/declarations/http.test.ts',
  'test/search/selection.test.ts',
  'test/network/follow.test.ts',
  'test/search/opensearch.test.ts',
  'test/client/generated.test.ts',
  'test/search/opensearch-cluster.test.ts',
  'test/codes/http/embedded.test.ts',
  'test/cli/examples.test.ts',
  'test/deploy/release.test.ts',
  'test/network/hostile-hubs.test.ts',
  'test/store/declarations/crashes.test.ts',
  'test/cluster/cluster.test.ts',
  'test/browser/console.test.ts',
];

export default class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const gone = LONG.filter((name) => !existsSync(path.join(root, name)));
    if (gone.length > 0)
      throw new Error(`test/support/long-files-first.ts names no file: ${gone.join(', ')}`);
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.indexOf(path.relative(root, moduleId).replaceAll(path.sep, '/'));
      return at === -1 ? LONG.length : at;
    };
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}
