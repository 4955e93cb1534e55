/**
 * What `npm run test:citus` does not run, with the reason. The run prints it. Everything else that uses a database runs on
 * the coordinator.
 */
interface LeftOut {
  readonly file: string;
  /** The full name of a test, or what those of several have; without it the whole file. */
  readonly test?: string | RegExp;
  readonly reason: string;
}

/** In the statement that Citus explains on a worker, values are parameters. */
const FOR_ANY_VALUES = 'expects the plan for the values of a query; Citus explains the one for any values';
/** Plans and statistics of tables are those of the worker. */
const OF_THE_COORDINATOR = 'looks at plans or numbers of the server that is asked, which reads no rows of projects';
const LOCK_TIMEOUT =
  'expects the time limit of locks, which workers get with citus.propagate_set_commands (docs/citus.md); else the call waits until its own';
const TEMPORARY_FILES =
  'expects the limit of temporary files that the service sets, which workers do not get (docs/citus.md); test/citus/operations.test.ts has that of the role';
const EXPLAINED = 'test/e2e/query/explain.test.ts';

const EMBEDDED = 'starts the embedded PostgreSQL, whose management it tests';

export const LEFT_OUT: readonly LeftOut[] = [
  { file: 'test/deploy/cli/{alone,cli}.deploy.ts', reason: EMBEDDED },
  { file: 'test/integration/service/start.test.ts', reason: EMBEDDED },
  {
    file: 'test/integration/query/plans.test.ts',
    reason: 'looks at plans of prepared statements, which workers make',
  },
  {
    file: EXPLAINED,
    test: 'the explanation of a list > filter=and(eq(state,open),eq(year,2005)) lacks []',
    reason: FOR_ANY_VALUES,
  },
  {
    file: EXPLAINED,
    test: 'the explanation of a list > says that nothing is slow, and that counting is',
    reason: FOR_ANY_VALUES,
  },
  {
    file: 'test/e2e/auth/recovery.test.ts',
    test: 'a recovery > mails at most ten times in an hour, with the same answer, concurrently and from two processes',
    reason: 'holds writes by a trigger',
  },
  {
    file: 'test/integration/query/stored-counts.test.ts',
    test: '/shelf/unit?limit=10&cursor= reads at most 11 rows',
    reason: FOR_ANY_VALUES,
  },
  {
    file: 'test/integration/database/count.test.ts',
    test: 'a list > filter=startswith(name,n1-55) uses an index',
    reason: FOR_ANY_VALUES,
  },
  {
    file: 'test/integration/query/index-order.test.ts',
    test: /a reference, in the default order|by cursor continues/,
    reason: FOR_ANY_VALUES,
  },
  {
    file: 'test/deploy/load/pattern-guard.deploy.ts',
    test: /are read in the order of the key index$/,
    reason: OF_THE_COORDINATOR,
  },
  {
    file: 'test/integration/links.test.ts',
    test: /is read no further than the page$|shares the limit of followed links|follows its links once more/,
    reason: OF_THE_COORDINATOR,
  },
  {
    file: 'test/e2e/transfer/import.test.ts',
    test: /finds units by their index, also in a kind that was empty/,
    reason: OF_THE_COORDINATOR,
  },
  {
    file: 'test/e2e/functions/reruns.test.ts',
    test: 'a repeated call > is rejected at its time limit, with Retry-After',
    reason: LOCK_TIMEOUT,
  },
  {
    file: 'test/e2e/functions/stray.test.ts',
    test: /^an operation that waits for a lock past the time limit/,
    reason: LOCK_TIMEOUT,
  },
  {
    file: 'test/e2e/query/temporary-files.test.ts',
    test: /is refused: (?:a page far behind|a page of a group|groups)$/,
    reason: TEMPORARY_FILES,
  },
];

export const LEFT_OUT_FILES = LEFT_OUT.filter(({ test }) => test === undefined).map(({ file }) => file);

/** Why a test does not run on Citus. */
export function leftOutReason(path: string, name: string): string | undefined {
  return LEFT_OUT.find(
    ({ file, test }) => path.endsWith(`/${file}`) && (test instanceof RegExp ? test.test(name) : test === name),
  )?.reason;
}
