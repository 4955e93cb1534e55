/** Every statement that writes keeps the rules of Citus (`test/support/citus-rules.ts`), whether there is a Citus or not. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelWith, kindIn } from '../support/models.js';
import { sealedColumns, type SealedColumn } from '../../src/model/sealed-fields.js';
import { brokenCitusRules, CITUS_RULES } from '../support/citus-rules.js';
import { inOneBlock, type Statement } from '../../src/sql/fragment.js';
import { eraseStatements } from '../../src/sql/changes/erase.sql.js';
import * as failure from '../../src/sql/changes/failure.sql.js';
import * as follow from '../../src/sql/changes/follow.sql.js';
import * as number from '../../src/sql/changes/number.sql.js';
import * as count from '../../src/sql/count.sql.js';
import * as access from '../../src/sql/definition/model.sql.js';
import * as ddl from '../../src/sql/definition/ddl.sql.js';
import * as model from '../../src/sql/definition/model.sql.js';
import * as parameter from '../../src/sql/definition/model.sql.js';
import * as rename from '../../src/sql/definition/rename.sql.js';
import * as schemas from '../../src/sql/definition/schema.sql.js';
import * as statistics from '../../src/sql/definition/query-statistics.sql.js';
import * as object from '../../src/sql/file/object.sql.js';
import { listUnusedStatement } from '../../src/sql/file/check.sql.js';
import * as files from '../../src/sql/file/files.sql.js';
import { disownFilesStatement } from '../../src/sql/file/owner.sql.js';
import * as link from '../../src/sql/link/link.sql.js';
import * as lock from '../../src/sql/lock.sql.js';
import * as projectRows from '../../src/sql/list/project-rows.sql.js';
import * as agentCall from '../../src/sql/member/agent-call.sql.js';
import * as apiKey from '../../src/sql/member/api-key.sql.js';
import * as credential from '../../src/sql/member/credential.sql.js';
import * as identity from '../../src/sql/member/identity.sql.js';
import * as oneTime from '../../src/sql/member/one-time.sql.js';
import * as owned from '../../src/sql/member/owned.sql.js';
import * as passkey from '../../src/sql/member/passkey.sql.js';
import * as totp from '../../src/sql/member/totp.sql.js';
import * as verified from '../../src/sql/member/verified.sql.js';
import * as session from '../../src/sql/member/session.sql.js';
import * as throttle from '../../src/sql/member/throttle.sql.js';
import * as expiredRows from '../../src/sql/server/expired-rows.sql.js';
import * as delivery from '../../src/sql/webhook/delivery.sql.js';
import * as idempotency from '../../src/sql/write/idempotency.sql.js';
import * as upload from '../../src/sql/file/upload.sql.js';
import * as sealed from '../../src/sql/sealed.sql.js';
import { deleteStatement } from '../../src/sql/write/delete.sql.js';

const ROOT = join(import.meta.dirname, '../..');
const SQL = join(ROOT, 'src/sql');
const UNIT_TESTS = join(ROOT, 'test/unit/sql');
const SCHEMA = 'project_demo';
const ID = '0198c0de-0000-7000-8000-000000000001';

const builtIn = modelWith({});
const [kind, member, stringKind] = ['kind', 'kind_admin', 'string'].map((id) => kindIn(builtIn, id)) as [
  ReturnType<typeof kindIn>,
  ReturnType<typeof kindIn>,
  ReturnType<typeof kindIn>,
];
const fields = [...member.fields.values()];
const keyed = { id: 'a', request: 'b', hash: 'c' };
const answer = { status: 200, content: '{}', headers: null };
const client = { address: '::1', userAgent: 'x' };
const city = { schema: SCHEMA, kind, key: 'a', access: undefined };
const linkPlan = {
  schema: SCHEMA,
  version: 1,
  linkId: 'l',
  shown: [],
  parent: city,
  allowed: undefined,
  child: city,
};
const linkField = kind.keyField;
const recorded = { schema: SCHEMA, kind, recording: { fields: [...kind.fields.values()], origin: '{}' } };

const file = kindIn(builtIn, 'file');
const recordedFile = { schema: SCHEMA, kind: file, recording: { fields: [...file.fields.values()], origin: '{}' } };
const owner = file.fields.get('owner') ?? file.keyField;

const [sealedColumn] = sealedColumns(builtIn) as [SealedColumn];

/** The statements that `test/unit/sql` does not have, or not so, by the function that renders them. */
const FOLLOWER = { id: 'a b', kinds: ['city'], operations: ['create'] };
const TASK = { id: ID, attempts: 0 };

const SAMPLES: Readonly<Record<string, () => Statement | readonly Statement[]>> = {
  numberRowsStatement: () => ddl.numberRowsStatement(SCHEMA, { table: 'city', column: 'number' }),
  storeCountStatement: () => count.storeCountStatement(SCHEMA, 'city', '1'),
  takeCountsStatement: () => count.takeCountsStatement(SCHEMA, 'city'),
  dropCountsStatement: () => count.dropCountsStatement(SCHEMA, ['city']),
  repairCountStatement: () => count.repairCountStatement(SCHEMA, kind),
  setAccessDefaultStatement: () => access.setAccessDefaultStatement(SCHEMA, 'open'),
  setJsonStatement: () => access.setJsonStatement(recorded, 'access', 'a', {}),
  beginFeedStatement: () => number.beginFeedStatement(SCHEMA, 'a'),
  resetFeedStatement: () => number.resetFeedStatement(SCHEMA, 'a'),
  forgetChangesStatement: () => number.forgetChangesStatement(SCHEMA, 30),
  forgetKindsStatement: () => number.forgetKindsStatement(SCHEMA, ['city']),
  continueFeedStatement: () => number.continueFeedStatement(SCHEMA),
  leaveHistoryStatements: () => number.leaveHistoryStatements(SCHEMA, ['city']),
  forgetColumnsStatements: () => number.forgetColumnsStatements(SCHEMA, 'city', ['name']),
  eraseAnswersStatement: () => idempotency.eraseAnswersStatement(SCHEMA, 'a'),
  eraseStatements: () => eraseStatements({ schema: SCHEMA, kind: recorded.kind, id: 'a' }),
  forgetHistoryStatement: () => number.forgetHistoryStatement(SCHEMA),
  numberChangesStatement: () => number.numberChangesStatement(SCHEMA),
  recordChangesStatement: () => access.recordChangesStatement(recorded, ['a'], 'feed'),
  beginFollowersStatement: () => follow.beginFollowersStatement(SCHEMA, [{ ...FOLLOWER, since: { ago: 0 } }]),
  takeChangesStatement: () => follow.takeChangesStatement(SCHEMA, [{ ...FOLLOWER, passes: true }], 1n),
  beginTasksStatement: () => follow.beginTasksStatement(SCHEMA, ['a b'], ID),
  countLostStatement: () => follow.countLostStatement(SCHEMA, TASK, ID),
  endAttemptStatement: () =>
    (['waiting', 'done'] as const).map((state) =>
      follow.endAttemptStatement(SCHEMA, TASK, { state, next: 1, report: {} }),
    ),
  giveBackStatement: () => follow.giveBackStatement(SCHEMA, [ID], ID),
  forgetTasksStatement: () => follow.forgetTasksStatement(SCHEMA),
  forgetTaskStatement: () => follow.forgetTaskStatement(SCHEMA, TASK),
  retryFailureStatement: () => failure.retryFailureStatement(SCHEMA, ID),
  deleteFailureStatement: () => failure.deleteFailureStatement(SCHEMA, ID),
  pruneFailuresStatement: () => failure.pruneFailuresStatement(SCHEMA),
  forgetTasksOfKindsStatement: () => follow.forgetTasksOfKindsStatement(SCHEMA, ['city']),
  closeFieldAccessStatement: () => access.closeFieldAccessStatement(recorded, 'a', ['read_access']),
  beginFilesStatement: () => files.beginFilesStatement(SCHEMA),
  announceObjectStatement: () => object.announceObjectStatement(SCHEMA, 'a', 1),
  takeObjectStatement: () => object.takeObjectStatement(SCHEMA, 'a', 1),
  leaveObjectStatement: () => object.leaveObjectStatement(SCHEMA, 'a', '1'),
  countLeftStatement: () => object.countLeftStatement(SCHEMA, [{ key: 'a', bytes: 1 }]),
  forgetObjectsStatement: () => object.forgetObjectsStatement(SCHEMA, ['a']),
  listUnusedStatement: () => listUnusedStatement(SCHEMA, ['a']),
  settleFilesStatement: () => files.settleFilesStatement(SCHEMA),
  keepObjectsStatement: () => files.keepObjectsStatement(SCHEMA, 1),
  disownFilesStatement: () => [
    disownFilesStatement(recordedFile, owner, { member: ID }),
    disownFilesStatement(recordedFile, owner, { memberKind: 'a' }),
  ],
  renameDefinedInStatement: () => rename.renameDefinedInStatement(SCHEMA, new Map([['a', ['b']]])),
  editDefinitionStatement: () => rename.editDefinitionStatement(recorded, { id: 'a', values: { access: {} } }),
  retypeParameterStatement: () =>
    rename.retypeParameterStatement(recorded, recorded, { id: 'a', values: { default_value: 'b' } }),
  renameRecordsStatement: () => rename.renameRecordsStatement(SCHEMA, 'kind', new Map([['a', 'b']])),
  renameUnitsStatements: () => rename.renameUnitsStatements(SCHEMA, ['kind'], new Map([['a', 'b']])),
  renameColumnsStatements: () => rename.renameColumnsStatements(SCHEMA, 'city', [['a', 'b']]),
  renameStoredStatements: () =>
    rename.renameStoredStatements(SCHEMA, { kinds: new Map([['a', 'b']]), linkTypes: new Map([['c', 'd']]) }),
  renameNamedStatements: () => rename.renameNamedStatements(SCHEMA, { kinds: new Map([['a', 'b']]) }),
  renameRecordedMembersStatements: () => rename.renameRecordedMembersStatements(SCHEMA, new Map([['a', 'b']])),
  forgetQueriesStatement: () => rename.forgetQueriesStatement(SCHEMA),
  insertModelStatement: () => model.insertModelStatement(SCHEMA, { version: 1, builtIn: 1, accessDefault: 'open' }),
  bumpVersionStatement: () => model.bumpVersionStatement(SCHEMA, 1),
  recordUpgradeStatement: () => model.recordUpgradeStatement(SCHEMA, 1),
  provisionRowsStatement: () => model.provisionRowsStatement(SCHEMA, kind, [{ id: 'a', label: 'b' }]),
  updateParametersStatement: () => model.updateParametersStatement(SCHEMA, [{ id: 'a', parameters: ['b'] }]),
  extendGroupsStatement: () => model.extendGroupsStatement(SCHEMA, [{ id: 'a', kind_list: ['b'] }]),
  recordDefinedInStatement: () => parameter.recordDefinedInStatement(SCHEMA, new Map([['a', 'b']])),
  copyParameterStatement: () => parameter.copyParameterStatement(recorded, 'a', ['b']),
  forgetDefinedInStatement: () => parameter.forgetDefinedInStatement(SCHEMA, ['b']),
  addQueriesStatement: () =>
    statistics.addQueriesStatement(SCHEMA, [
      {
        id: 'a (b)',
        calls: 1,
        milliseconds: 1,
        missing: { kind: 'a', parameters: ['b'], inside: false, why: '', read: 1, found: 1 },
      },
    ]),
  pruneQueriesStatement: () => statistics.pruneQueriesStatement(SCHEMA),
  updateLinkStatement: () =>
    link.updateLinkStatement(linkPlan, {
      written: [linkField],
      rows: { params: ['a'] },
      compared: [],
      incomparable: false,
    }),
  insertLinesStatement: () => [
    projectRows.insertLinesStatement(SCHEMA, { table: kind.table, key: ['id'], fields: [...kind.fields.values()] }, [
      '{}',
    ]),
    projectRows.insertLinesStatement(
      SCHEMA,
      { table: stringKind.table, key: ['id'], fields: [...stringKind.fields.values()] },
      [],
    ),
  ],
  deleteRowsStatement: () => projectRows.deleteRowsStatement(SCHEMA, 'city'),
  recordKeyUseStatement: () => apiKey.recordKeyUseStatement(SCHEMA, ID),
  recordCallStatement: () =>
    agentCall.recordCallStatement(SCHEMA, { id: ID, key: ID, tool: 'a', kind: null, number: null, outcome: 'done' }),
  pruneCallsStatement: () => agentCall.pruneCallsStatement(SCHEMA),
  lockOwnerStatement: () => owned.lockOwnerStatement(SCHEMA, ID),
  deleteOwnedStatement: () => owned.deleteOwnedStatement(SCHEMA, 'api_key', ID),
  deleteOwnerlessStatement: () => owned.deleteOwnerlessStatement(SCHEMA, 'api_key'),
  usePasskeyStatement: () => passkey.usePasskeyStatement(SCHEMA, { id: ID, counter: 1, backedUp: true }),
  giveHandleStatement: () => passkey.giveHandleStatement(SCHEMA, ID, 'a'),
  insertIdentityStatement: () =>
    identity.insertIdentityStatement(SCHEMA, {
      id: ID,
      provider: 'a',
      member: ID,
      issuer: 'b',
      subject: 'c',
      email: null,
    }),
  recordIdentityUseStatement: () => identity.recordIdentityUseStatement(SCHEMA, ID, 'a'),
  lockProviderStatement: () => identity.lockProviderStatement(SCHEMA, 'a'),
  deleteIdentitiesStatement: () => identity.deleteIdentitiesStatement(SCHEMA, 'a'),
  deactivateProvidersStatement: () => identity.deactivateProvidersStatement(SCHEMA, ['a']),
  setScopesStatement: () => apiKey.setScopesStatement(SCHEMA, [{ id: ID, scope: {} }]),
  recordAccessStatement: () => credential.recordAccessStatement(SCHEMA, member, fields, ID),
  setPasswordStatement: () => credential.setPasswordStatement(SCHEMA, ID, 'a', 'b'),
  deleteCredentialStatement: () => credential.deleteCredentialStatement(SCHEMA, ID),
  storeSecretStatement: () =>
    oneTime.storeSecretStatement(SCHEMA, { id: 'a', hash: 'a', memberId: ID, data: null, lifetime: 1 }),
  takeSecretStatement: () => oneTime.takeSecretStatement(SCHEMA, 'a'),
  trySecretStatement: () => oneTime.trySecretStatement(SCHEMA, 'a', { hash: 'a', tries: 5, keep: 1 }),
  storeTotpStatement: () => totp.storeTotpStatement(SCHEMA, ID, 'a'),
  confirmTotpStatement: () =>
    totp.confirmTotpStatement(SCHEMA, { memberId: ID, sealedSecret: 'a', step: 1, recoveryCodes: ['a'] }),
  useStepStatement: () => totp.useStepStatement(SCHEMA, ID, 1),
  useRecoveryCodeStatement: () => totp.useRecoveryCodeStatement(SCHEMA, ID, 'a'),
  setRecoveryCodesStatement: () => totp.setRecoveryCodesStatement(SCHEMA, ID, ['a']),
  beginMembersStatement: () => verified.beginMembersStatement(SCHEMA),
  setVerifiesSinceStatement: () => verified.setVerifiesSinceStatement(SCHEMA),
  emptyCredentialStatement: () => verified.emptyCredentialStatement(SCHEMA, ID, 'a'),
  setVerifiedStatement: () => verified.setVerifiedStatement(SCHEMA, ID, 'a'),
  forgetVerifiedStatement: () => verified.forgetVerifiedStatement(SCHEMA, ID),
  trustAllStatement: () => verified.trustAllStatement(SCHEMA, 'city'),
  showVerifiedStatement: () => verified.showVerifiedStatement(SCHEMA, member, ID, true),
  removeTotpStatement: () => totp.removeTotpStatement(SCHEMA, ID),
  recordSecondStepStatement: () => session.recordSecondStepStatement(SCHEMA, ID),
  renewProofStatement: () => session.renewProofStatement(SCHEMA, ID),
  deleteOldestStatement: () => oneTime.deleteOldestStatement(SCHEMA, 'provider', 1),
  deleteSecretsOfMemberStatement: () => oneTime.deleteSecretsOfMemberStatement(SCHEMA, ID),
  deleteExpiredRowsStatement: () => [
    expiredRows.deleteExpiredRowsStatement(SCHEMA, '_throttle'),
    expiredRows.deleteExpiredRowsStatement(SCHEMA, '_session'),
  ],
  startSessionStatement: () =>
    [
      { password: 'hash', secondStep: false },
      { unit: { kind: 'passkey', id: ID } },
      { unit: { kind: 'identity', id: ID }, secondStep: false },
      {},
    ].map((proof) =>
      session.startSessionStatement(SCHEMA, {
        id: ID,
        client,
        memberKind: 'm',
        memberId: ID,
        refresh: ID,
        lifetime: 1,
        ...proof,
      }),
    ),
  recordUseStatement: () => session.recordUseStatement(SCHEMA, ID),
  rotateTokenStatement: () =>
    session.rotateTokenStatement(SCHEMA, { client, token: ID, successor: ID, lifetime: 1, window: 1 }),
  endSessionsStatement: () => session.endSessionsStatement(SCHEMA, { memberId: ID, but: ID }),
  endMembersStatement: () => session.endMembersStatement(SCHEMA, 'm'),
  resealStatement: () => sealed.resealStatement(SCHEMA, sealedColumn, [{ id: ID, former: 'a', value: 'b' }]),
  dropSealedStatement: () => sealed.dropSealedStatement(SCHEMA, sealedColumn, [{ id: ID, value: 'a' }]),
  writeColumnStatement: () => projectRows.writeColumnStatement(SCHEMA, 'a', 'b', [{ id: 'c', value: 'd' }]),
  lockMakingStatement: () => lock.lockMakingStatement(SCHEMA, 'webhook'),
  keepBodyStatement: () => delivery.keepBodyStatement(SCHEMA, { id: ID }, { type: 'a', body: '{}', erasures: 0 }),
  noteDeliveredStatement: () => [true, false].map((each) => delivery.noteDeliveredStatement(SCHEMA, 'a', each)),
  countFailureStatement: () => [true, false].map((each) => delivery.countFailureStatement(SCHEMA, 'a', each)),
  noteLostStatement: () => delivery.noteLostStatement(SCHEMA, 'a', 'b'),
  forgetHookStatement: () => delivery.forgetHookStatement(SCHEMA, 'a'),
  pauseHookStatement: () => delivery.pauseHookStatement(SCHEMA, 'a', true),
  beginHookStatement: () => delivery.beginHookStatement(SCHEMA, 'a', '1', false),
  beginHooksStatement: () => delivery.beginHooksStatement(SCHEMA),
  resumeAfterStatement: () => delivery.resumeAfterStatement(SCHEMA, 'a', '1'),
  retryDeliveryStatement: () => delivery.retryDeliveryStatement(SCHEMA, 'a', ID),
  pruneDeliveriesStatement: () => delivery.pruneDeliveriesStatement(SCHEMA, 'a'),
  takeAttemptsStatement: () => throttle.takeAttemptsStatement(SCHEMA, [{ id: 'a', allowed: 1 }], 1),
  returnAttemptsStatement: () => throttle.returnAttemptsStatement(SCHEMA, ['a'], '2026-01-01'),
  deleteAttemptsStatement: () => throttle.deleteAttemptsStatement(SCHEMA, ['a']),
  claimKeyStatement: () => idempotency.claimKeyStatement(SCHEMA, keyed, 1),
  keepAnswerStatement: () => idempotency.keepAnswerStatement(SCHEMA, keyed, answer),
  revokeUrlsStatement: () => files.revokeUrlsStatement(SCHEMA),
  beginUploadStatement: () =>
    upload.beginUploadStatement(SCHEMA, { id: ID, member: ID, metadata: '', length: 1, life: 1 }),
  holdUploadStatement: () => upload.holdUploadStatement(SCHEMA, { id: ID, member: ID, holder: ID, life: 1 }),
  keepUploadStatement: () => upload.keepUploadStatement(SCHEMA, ID, ID, 1),
  releaseUploadStatement: () => upload.releaseUploadStatement(SCHEMA, ID, ID),
  raiseUploadStatement: () => upload.raiseUploadStatement(SCHEMA, { id: ID, holder: ID, offset: '0', bytes: 1 }),
  addPartStatement: () => upload.addPartStatement(SCHEMA, { key: 'a', bytes: 1 }, ID, '0'),
  emptyUploadStatement: () => upload.emptyUploadStatement(SCHEMA, ID, ID),
  endUploadStatement: () => upload.endUploadStatement(SCHEMA, ID, ID),
  deleteUploadStatement: () => upload.deleteUploadStatement(SCHEMA, ID, ID),
  // Under a rule for nobody.
  deleteStatement: () =>
    deleteStatement({ schema: SCHEMA, kind, version: 1, id: 'a', access: { op: 'constant', value: false }, tags: [] }),
  keepRefusalStatement: () => idempotency.keepRefusalStatement(SCHEMA, keyed, answer, 1),
};

/** The registry is not distributed, and reads no tables of tenants. */
const OF_THE_REGISTRY = /^server\//;

/** `name: text` of each statement in a snapshot. */
function snapshot(file: string): (readonly [name: string, text: string])[] {
  const lines = readFileSync(join(UNIT_TESTS, file), 'utf8').split('\n');
  return lines.flatMap((line, at) =>
    line === '' || line.startsWith('--') ? [] : [[`${file}: ${lines[at - 1] ?? ''}`, line] as const],
  );
}

const statements: readonly (readonly [name: string, text: string])[] = [
  ...readdirSync(UNIT_TESTS)
    .filter((file) => file.endsWith('.sql'))
    .flatMap(snapshot),
  ...Object.entries(SAMPLES).flatMap(([name, make]) => [make()].flat().map(({ text }) => [name, text] as const)),
  ...schemas
    .createSchemaStatements(SCHEMA, { provider: 'icu', locale: 'und' })
    .map(({ text }) => ['createSchemaStatements', text] as const),
  ['a block of changes', inOneBlock(['a', 'b'].map((table) => ddl.dropDefaultsStatement(table, ['c'], SCHEMA))).text],
];

describe('statements for Citus', () => {
  it('keep its rules', () => {
    expect(statements.length).toBeGreaterThan(200);
    const faults = statements.flatMap(([name, text]) =>
      brokenCitusRules(text).map((rule) => `${name}: ${rule}: ${text.slice(0, 300)}`),
    );
    expect(faults).toEqual([]);
  });

  it('are all looked at: each function that renders a write has a sample here or in test/unit/sql', () => {
    const tested = readdirSync(UNIT_TESTS)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(UNIT_TESTS, file), 'utf8'))
      .join();
    const missing = readdirSync(SQL, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !OF_THE_REGISTRY.test(file))
      .flatMap((file) => writersIn(readFileSync(join(SQL, file), 'utf8')))
      .filter((name) => !(name in SAMPLES) && !new RegExp(`\\b${name}\\b`).test(tested));
    expect(missing).toEqual([]);
  });
});

/** The exported functions whose own text has a write. */
function writersIn(source: string): string[] {
  const functions = source.split(/^(?=(?:export )?(?:function|const) )/m);
  return functions.flatMap((text) => {
    const name = /^export function (\w+Statements?)\b/.exec(text)?.[1];
    const writes = /\b(?:INSERT INTO|UPDATE \$|DELETE FROM)/.test(text.replaceAll(/\/\*\*[^]*?\*\//g, ''));
    return name !== undefined && writes ? [name] : [];
  });
}

describe('each rule', () => {
  const table = '"project_demo"."city"';
  const BROKEN: readonly (readonly [rule: string, ...texts: string[]])[] = [
    [
      'RETURNING has columns only',
      `UPDATE ${table} AS t SET "a" = 1 RETURNING to_char(t."updated_at", 'YYYY') AS year`,
      `WITH a AS (DELETE FROM ${table} RETURNING "updated_at"::text AS at) SELECT at FROM a`,
    ],
    [
      'DO UPDATE SET calls IMMUTABLE functions only',
      `INSERT INTO ${table} ("id") VALUES ($1) ON CONFLICT ("id") DO UPDATE SET "seen_at" = now()`,
      `INSERT INTO ${table} AS k ("id") VALUES ($1) ON CONFLICT ("id") DO UPDATE SET "a" = 1 WHERE k."b" <= now()`,
    ],
    [
      'UPDATE and DELETE call IMMUTABLE functions only, and now()',
      `UPDATE ${table} AS t SET "updated_at" = greatest(clock_timestamp(), t."updated_at")`,
      `DELETE FROM ${table} AS t WHERE to_char(t."updated_at", 'YYYY') = $1`,
    ],
    [
      'CASE and COALESCE of writes call IMMUTABLE functions only',
      `UPDATE ${table} SET "used_at" = CASE WHEN "hash" = $1 THEN now() END WHERE "id" = $2`,
      `WITH a AS (UPDATE ${table} AS t SET "a" = coalesce(t."a", now()) RETURNING t.*) SELECT a FROM a`,
    ],
    [
      'the planner does not see that a condition of an UPDATE or DELETE is always false',
      `DELETE FROM ${table} AS t WHERE "t"."id" = $1::uuid AND false RETURNING 1 AS deleted`,
      `UPDATE ${table} AS t SET "a" = 1 WHERE "t"."id" = $1::uuid AND (true AND ((true) IS NOT TRUE)) RETURNING t.*`,
    ],
    [
      'no column with a time zone is added to an interval in a write',
      `UPDATE ${table} AS t SET "updated_at" = t."updated_at" + interval '1 microsecond'`,
      `UPDATE ${table} AS t SET "a" = t."b" - $1::double precision * interval '1 second'`,
    ],
    [
      'the seconds of a column in a write are those in UTC',
      `DELETE FROM ${table} AS t WHERE (extract(epoch FROM t."updated_at") * 1000000)::bigint::text = ANY($1::text[])`,
    ],
    [
      'an INSERT that reads a table calls IMMUTABLE functions only',
      `INSERT INTO ${table} AS t ("id", "at") SELECT i."id", now() FROM (SELECT $1::text AS "id") AS i WHERE (SELECT "version" FROM "project_demo"."_model") = $2::bigint`,
      `INSERT INTO ${table} AS t ("id") SELECT i."id" FROM json_to_recordset($1::json) AS i("id" text) WHERE (SELECT "version" FROM "project_demo"."_model") = $2::bigint`,
    ],
    [
      'no CTE and no table in FROM without columns',
      `WITH allowed AS (SELECT) SELECT 1 FROM allowed`,
      `SELECT count(*) FROM (SELECT FROM ${table} LIMIT 5) AS a`,
      `WITH a AS MATERIALIZED (SELECT FROM ${table}) SELECT count(*) FROM a`,
    ],
    [
      'no EXISTS of a table without columns beside an INSERT of units',
      `WITH affected AS (INSERT INTO ${table} AS t ("id") SELECT $1 RETURNING t.*) SELECT EXISTS (SELECT FROM ${table} AS m WHERE m."id" = $2) FROM affected AS t`,
    ],
    [
      'no INSERT with changes of rows by their place',
      `WITH d AS (DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table})) RETURNING "a") INSERT INTO ${table} ("a") SELECT "a" FROM d`,
    ],
    [
      'a version is not read beside an INSERT of units',
      `WITH affected AS (INSERT INTO ${table} AS t ("id") SELECT $1 RETURNING t.*) SELECT (SELECT "version" FROM "project_demo"."_model") AS v, t."id" FROM affected AS t`,
    ],
    [
      'a notification is a statement of its own',
      `WITH bumped AS (UPDATE ${table} SET "a" = 1 RETURNING "a") SELECT pg_notify($1, "a") FROM bumped`,
    ],
    [
      'an INSERT of units computes nothing that depends on settings',
      `INSERT INTO ${table} AS t ("id") SELECT i."id" FROM input AS i WHERE i."at" < (SELECT max("_now") FROM input) + interval '1 day' RETURNING t.*`,
    ],
    [
      'columns of a constraint have no table before them',
      `ALTER TABLE ${table} ADD CONSTRAINT "c" CHECK ("city"."size" > 1)`,
    ],
    ['no trigger', `CREATE TRIGGER "a" AFTER INSERT ON ${table} EXECUTE FUNCTION f()`],
    [
      'changes of tables and indexes are not sent together with others, unless in a block',
      `CREATE TABLE ${table} ("id" text); CREATE INDEX "i" ON ${table} USING btree ("id")`,
    ],
    [
      'no column is added together with a constraint',
      `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS "a" text DEFAULT 'b' CHECK ("a" IN ('b'))`,
    ],
    ['new tables are not made in a block', `DO 'BEGIN EXECUTE ''CREATE TABLE ${table} ("id" text)''; END'`],
  ];

  it('has a statement that breaks it', () => {
    expect(BROKEN.map(([rule]) => rule)).toEqual(CITUS_RULES.map(({ name }) => name));
  });

  it.each(BROKEN.flatMap(([rule, ...texts]) => texts.map((text) => [rule, text] as const)))('%s: %s', (rule, text) => {
    expect(brokenCitusRules(text)).toContain(rule);
  });
});
