/** The order of test files: the longest first, so that no long file runs alone at the end. */
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { knownSeconds, secondsOf } from '../../scripts/test-seconds.mjs';

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const known = knownSeconds();
    const seconds = ({ moduleId }: TestSpecification) =>
      secondsOf(path.relative(root, moduleId).replaceAll(path.sep, '/'), known);
    return files.toSorted((a, b) => seconds(b) - seconds(a));
  }
}
