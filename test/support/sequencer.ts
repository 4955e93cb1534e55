/** The order in which test files start: those that take longest first, so that no worker has one left at the end. */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long although they are short, or wait long for other processes. Others start by size. */
const LONGEST = [
  'e2e/changes/follow',
  'e2e/changes/live',
  'e2e/access/secrets',
  'conformance/built-in',
  'conformance/user-kinds',
  'integration/model/drift',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId, project }: TestSpecification): number => {
      // Between files that share the modules of a worker, an isolated one would end that worker.
      if (project.config.isolate) return -1;
      const name = relative(`${project.config.root}/test`, moduleId).replace(/\.test\.ts$/, '');
      const at = LONGEST.indexOf(name);
      return at < 0 ? LONGEST.length : at;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
