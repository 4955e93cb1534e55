/** Leaves out the tests that are not for Citus, with their reasons. */
import { beforeEach } from 'vitest';
import { leftOutReason } from '../citus/left-out.js';

beforeEach(({ task, skip }) => {
  const reason = leftOutReason(task.file.filepath, task.fullTestName);
  if (reason !== undefined) skip(reason);
});
