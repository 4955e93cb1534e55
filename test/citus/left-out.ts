/**
 * What `npm run test:citus` does not run, with the reason. The run prints it. Everything else that uses a database runs on
 * the coordinator.
 */
interface LeftOut {
  readonly file: string;
  /** The full name of a test; without it the whole file. */
  readonly test?: string;
  readonly reason: string;
}

/** In the statement that Citus explains on a worker, values are parameters. */
const FOR_ANY_VALUES = 'expects the plan for the values of a query; Citus explains the one for any values';
const EXPLAINED = 'test/e2e/query/explain.test.ts';

const EMBEDDED = 'starts the embedded PostgreSQL, whose management it tests';

export const LEFT_OUT: readonly LeftOut[] = [
  { file: 'test/integration/embedded/*.test.ts', reason: EMBEDDED },
  { file: 'test/integration/cli/alone.test.ts', reason: EMBEDDED },
  { file: 'test/integration/cli/cli.test.ts', reason: EMBEDDED },
  {
    file: 'test/e2e/http/replica.test.ts',
    reason: 'starts a PostgreSQL with a standby; DATABASE_REPLICA_URL does not work on Citus',
  },
  { file: 'test/integration/service/build.test.ts', reason: 'compares two builds of the service' },
  { file: 'test/e2e/doc/clients.test.ts', reason: 'generates clients from the API document, for minutes' },
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
];

export const LEFT_OUT_FILES = LEFT_OUT.filter(({ test }) => test === undefined).map(({ file }) => file);

/** Why a test does not run on Citus. */
export function leftOutReason(path: string, name: string): string | undefined {
  return LEFT_OUT.find(({ file, test }) => path.endsWith(`/${file}`) && test === name)?.reason;
}
