/** Creates, upgrades and deletes projects and their schemas, with the same diff and DDL as changes of definitions. */
import { Injectable } from '@nestjs/common';
import { Database, type Executor, type Transaction } from '../../database/database.js';
import type { TransactionOptions } from '../../database/database-options.js';
import { isDuplicateSchema, isUniqueViolation } from '../../database/statement/sqlstate.js';
import type { ProjectSettings } from '../../database/entities/project.entity.js';
import { ProjectRepository, type ProjectRow } from '../../database/registry/project.repository.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import type { AccessDefault } from '../../model/access-levels.js';
import { builtInRecords, buildModel } from '../../model/build/build-model.js';
import { diffModels } from '../../model/table/diff.js';
import { passkeyUse } from '../../model/passkeys.js';
import { schemaName } from '../../model/names.js';
import { refusal, type KindError } from '../../shared/errors.js';
import { PROJECT_ID } from '../../shared/identifiers.js';
import { notifyStatement } from '../../sql/server/connection.sql.js';
import { plural } from '../../shared/texts.js';
import { revokeUrlsStatement } from '../../sql/file/files.sql.js';
import { countPasskeysStatement } from '../../sql/member/passkey.sql.js';
import { inOneMessage } from '../../sql/fragment.js';
import { insertModelStatement, setAccessDefaultStatement } from '../../sql/definition/model.sql.js';
import {
  collationsStatement,
  createSchemaStatements,
  type FoldCollation,
  dropForeignKeysStatement,
  dropSchemaStatement,
  dropTablesStatement,
  foreignKeysStatement,
  tablesStatement,
  type ForeignKeyRow,
  type TableSizeRow,
} from '../../sql/definition/schema.sql.js';
import {
  beginDeletionStatement,
  insertProjectStatement,
  recordBuiltInStatement,
  updateProjectStatement,
} from '../../sql/server/registry.sql.js';
import type { Json } from '../../shared/json.js';
import { type AuditEntry, AuditLog } from '../../tenancy/audit-log.js';
import { SYSTEM } from '../../tenancy/caller.js';
import { projectOf, type Project } from '../../tenancy/project.js';
import { changesModel, namedSettings } from '../../tenancy/project-settings.js';
import { DefinitionChangeService } from '../definition/definition-change.service.js';
import { refuseIfLocked } from '../definition/locked-model.js';
import { runSteps } from '../definition/run-steps.js';
import { readModelSummaries } from '../model/model-store.js';
import { ProjectContents } from './project-contents.js';
import { insertBuiltInRows, upgradeSchema, type UpgradeResult } from './upgrade.js';
import { PROJECT_LOCK_TIMEOUT, lockProject } from '../model/raise-version.js';

/** The channel of notifications about changes of the registry; the payload is the project id. */
export const PROJECT_CHANNEL = 'kind_project';

/** Projects whose versions are read before the first of them is upgraded. */
const PROJECTS_PER_BATCH = 100;

interface NewProject {
  readonly id: string;
  readonly label?: string;
  readonly accessDefault?: AccessDefault;
  /** When it was first made; now, if it is not made again from a backup. */
  readonly insertedAt?: string;
  /** Of which backup it is made, for the audit log. */
  readonly restored?: Readonly<Record<string, Json>>;
  readonly modelVersion?: number;
}

export interface ProjectChange {
  readonly label?: string;
  readonly settings?: ProjectSettings;
  readonly accessDefault?: AccessDefault;
}

/** Who changes a project, for the audit log. */
type ChangedBy = Pick<AuditEntry, 'caller' | 'requestId'>;

interface SetOptions extends ChangedBy {
  /** Whether it is done although passkeys of members become useless by it. */
  readonly cascade?: boolean;
}

export const BY_SYSTEM: ChangedBy = { caller: SYSTEM, requestId: undefined };

@Injectable()
export class Provisioning {
  constructor(
    private readonly database: Database,
    private readonly registry: ProjectRepository,
    private readonly changes: DefinitionChangeService,
    private readonly audit: AuditLog,
    private readonly contents: ProjectContents,
  ) {}

  /** Creates a project; `populate` runs in the same transaction. @throws KindError 400, 409 */
  async create(
    { id, label = id, accessDefault = 'open', insertedAt, restored, modelVersion = 1 }: NewProject,
    populate: (tx: Transaction, project: Project) => Promise<unknown> = () => Promise.resolve(),
    options: Pick<TransactionOptions, 'statementTimeout'> = {},
  ): Promise<Project> {
    checkId(id);
    const records = builtInRecords();
    const project = projectOf({ id, label, settings: {}, schemaId: null });
    const fold = await foldCollation(this.database);
    const createTables = async (tx: Transaction): Promise<void> => {
      try {
        await tx.run(insertProjectStatement(id, label, BUILT_IN_VERSION, insertedAt));
      } catch (error) {
        throw isUniqueViolation(error) ? exists(id) : error;
      }
      await makeSchema(tx, project, fold);
      const model = { version: modelVersion, builtIn: BUILT_IN_VERSION, accessDefault };
      await tx.run(insertModelStatement(project.schema, model));
      const built = buildModel(records);
      const { steps } = diffModels(undefined, built);
      await runSteps(tx, project.schema, steps);
      await insertBuiltInRows(tx, project.schema, records, built);
      this.#record(tx, 'created', id, { settings: { access_default: accessDefault }, ...(restored && { restored }) });
      await populate(tx, project);
      await tx.run(notifyStatement(PROJECT_CHANNEL, id));
    };
    // Its tables are not visible to others yet. A concurrent creation with the same id waits for this one, without a
    // timeout.
    await this.database.transaction(createTables, { ...options, isolation: 'read committed' });
    return project;
  }

  /** @throws KindError 400, 409 if no project can be made with that id */
  async checkFree(id: string): Promise<void> {
    checkId(id);
    if (await this.registry.find(id)) throw exists(id);
  }

  list(): Promise<ProjectRow[]> {
    return this.registry.list();
  }

  /** @throws KindError 401 `project.unknown` */
  async get(id: string): Promise<ProjectRow> {
    const found = await this.registry.find(id);
    if (!found) throw refusal('project.unknown', `No project '${id}'`);
    return found;
  }

  /** @throws KindError 404, and 503 if its deletion has begun */
  async getActive(id: string): Promise<ProjectRow> {
    const row = await this.get(id);
    checkNotDeleted(row);
    return row;
  }

  /** @throws KindError 401 `project.unknown`, and 409 if passkeys of members would become useless */
  async set(
    id: string,
    { label, settings = {}, accessDefault }: ProjectChange,
    { cascade = false, ...by }: SetOptions = BY_SYSTEM,
  ): Promise<ProjectRow> {
    const row = await this.get(id);
    if (accessDefault || changesModel(row.settings, settings)) refuseIfLocked(row);
    if (!cascade) await this.refuseToLosePasskeys(row, settings, '?cascade=true changes it anyway');
    if (accessDefault) await this.#setAccessDefault(row, accessDefault);
    await this.database.transaction((tx) =>
      this.setWithin(tx, row, { settings, ...(label !== undefined && { label }) }, by),
    );
    return this.get(id);
  }

  /** The same of label and settings in a transaction, whatever becomes useless by it. */
  async setWithin(
    tx: Transaction,
    row: ProjectRow,
    { label, settings = {} }: Pick<ProjectChange, 'label' | 'settings'>,
    by: ChangedBy,
  ): Promise<void> {
    const changedOnes = changedSettings(row, settings);
    const changed = { ...changedLabel(row, label), ...namedSettings(changedOnes) };
    await tx.run(updateProjectStatement(row.id, label ?? null, settings));
    // Addresses made before open originals.
    if (changedOnes.originals === 'owner' && row.status === 'active')
      await tx.run(revokeUrlsStatement(schemaName(row.id)));
    if (Object.keys(changed).length > 0) this.#record(tx, 'changed', row.id, { settings: changed }, by);
    await tx.run(notifyStatement(PROJECT_CHANNEL, row.id));
  }

  /**
   * A passkey is for one domain, by its device.
   * @param hint how the caller says that it means it @throws KindError 409
   */
  async refuseToLosePasskeys(row: ProjectRow, settings: ProjectSettings, hint: string): Promise<void> {
    const domain = passkeyUse(row.settings)?.domain;
    const stays = passkeyUse({ ...row.settings, ...settings })?.domain === domain;
    if (domain === undefined || stays || row.status !== 'active') return;
    const [found] = await this.database.run<{ count: number }>(countPasskeysStatement(schemaName(row.id), domain));
    const count = found?.count ?? 0;
    if (count === 0) return;
    const lost = `${plural(count, 'passkey')} of members ${count === 1 ? 'is' : 'are'} for ${domain} and could not be used any more`;
    throw refusal('passkey.in_use', `${lost}; ${hint}`);
  }

  /** A change of the model, so that every statement that was planned before it is noticed. */
  async #setAccessDefault(row: ProjectRow, value: AccessDefault): Promise<void> {
    checkNotDeleted(row);
    const project = projectOf(row);
    await this.changes.change(project, { cascade: false, tellCounts: true, caller: SYSTEM }, async ({ tx, before }) => {
      if (before.accessDefault !== value) await tx.run(setAccessDefaultStatement(project.schema, value));
    });
  }

  /** What operations without a setting allow in projects, by id. Those whose tables are missing are not in it. */
  async accessDefaults(rows: readonly Pick<ProjectRow, 'id'>[]): Promise<Map<string, AccessDefault>> {
    const found = await readModelSummaries(
      this.database,
      rows.map(({ id }) => schemaName(id)),
    );
    return new Map(
      rows.flatMap(({ id }): [string, AccessDefault][] => {
        const summary = found.get(schemaName(id));
        return summary ? [[id, summary.access_default]] : [];
      }),
    );
  }

  /**
   * Deletes a project with all its data, and the contents of its files. If it is interrupted, the next call goes on.
   * @param signal ends it between two steps
   */
  async delete(id: string, signal?: AbortSignal): Promise<void> {
    await this.get(id);
    await this.database.transaction(async (tx) => {
      await tx.run(beginDeletionStatement(id));
      this.#record(tx, 'deleted', id);
    });
    await this.#announce(id);
    await dropProjectSchema(this.database, schemaName(id), signal);
    // Before the registry forgets it, so that the next call goes on.
    await this.contents.remove(id, signal);
    await this.registry.delete(id);
    await this.#announce(id);
  }

  /**
   * Upgrades a project to the model of this version, and makes all processes reload it, as needed after a restore.
   * @throws KindError 503 if it can't be upgraded, or a table stays locked
   */
  async migrate(id: string): Promise<UpgradeResult> {
    const project = projectOf(await this.getActive(id));
    return changeTables(this.database, project.schema, async (tx) => {
      const upgraded = await upgradeSchema(tx, project);
      await tx.run(recordBuiltInStatement([id], BUILT_IN_VERSION));
      await tx.run(notifyStatement(PROJECT_CHANNEL, id));
      return upgraded;
    });
  }

  /**
   * Projects whose built-in tables are older than this version or missing, in batches. Only those are asked that are not
   * known to be up to date; what is found out about them is recorded.
   */
  async *outdated(): AsyncGenerator<string[]> {
    const ids = await this.registry.notKnownToHave(BUILT_IN_VERSION);
    for (let at = 0; at < ids.length; at += PROJECTS_PER_BATCH) {
      const batch = ids.slice(at, at + PROJECTS_PER_BATCH);
      const summaries = await readModelSummaries(this.database, batch.map(schemaName));
      const isOutdated = (id: string): boolean => (summaries.get(schemaName(id))?.built_in ?? 0) < BUILT_IN_VERSION;
      const upToDate = batch.filter((id) => !isOutdated(id));
      if (upToDate.length > 0) await this.database.run(recordBuiltInStatement(upToDate, BUILT_IN_VERSION));
      yield batch.filter(isOutdated);
    }
  }

  #record(
    tx: Transaction,
    change: 'created' | 'changed' | 'deleted',
    project: string,
    details: Readonly<Record<string, Json>> = {},
    { caller, requestId }: ChangedBy = BY_SYSTEM,
  ): void {
    this.audit.record({ action: `project.${change}`, project, caller, requestId, details }, tx);
  }

  async #announce(id: string): Promise<void> {
    await this.database.run(notifyStatement(PROJECT_CHANNEL, id));
  }
}

function changedLabel(row: ProjectRow, label: string | undefined): { readonly label?: string } {
  return label === undefined || label === row.label ? {} : { label };
}

/** Those that are not as they were. One that is off may be missing. */
function changedSettings({ settings: former }: ProjectRow, settings: ProjectSettings): ProjectSettings {
  const before: Readonly<Record<string, unknown>> = { ...former };
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => (before[name] || null) !== (value || null)),
  );
}

/** @throws KindError 503 if its deletion has begun */
export function checkNotDeleted({ id, status }: ProjectRow): void {
  if (status !== 'active') throw refusal('project.unavailable', `The project '${id}' is being deleted`);
}

/** @throws KindError 400 */
function checkId(id: string): void {
  if (PROJECT_ID.test(id)) return;
  throw refusal(
    'identifier.malformed',
    `'${id}': a project id is a lower-case letter, then 1 to 39 lower-case letters, digits, _ and -`,
  );
}

function exists(id: string): KindError {
  return refusal('project.exists', `A project '${id}' exists already`);
}

/** @throws KindError 409 if the schema exists although the registry has no such project */
async function makeSchema(tx: Transaction, { id, schema }: Project, fold: FoldCollation): Promise<void> {
  try {
    await tx.run(inOneMessage(createSchemaStatements(schema, fold)));
  } catch (error) {
    if (!isDuplicateSchema(error)) throw error;
    throw refusal(
      'project.exists',
      `The schema ${schema} is there, but the registry has no project '${id}': give it the row that belongs to the schema (docs/operations.md, "Moving a tenant"), or drop the schema`,
    );
  }
}

/**
 * The collation for case folding: PostgreSQL's Unicode tables (17 and later), else ICU, else the locale of the
 * database.
 */
async function foldCollation(executor: Executor): Promise<FoldCollation> {
  const rows = await executor.run<{ name: string }>(collationsStatement(['pg_c_utf8', 'und-x-icu']));
  const names = new Set(rows.map(({ name }) => name));
  if (names.has('pg_c_utf8')) return { provider: 'builtin', locale: 'C.UTF-8' };
  if (names.has('und-x-icu')) return { provider: 'icu', locale: 'und' };
  return { provider: 'default' };
}

/** Foreign keys of one step. Each takes locks on two tables. */
const KEYS_PER_STEP = 100;
/** Tables of one step. */
const TABLES_PER_STEP = 50;
/** Tables and indexes of one step, each of which takes a lock; a table with more has a step of its own. */
const RELATIONS_PER_STEP = 400;

type Step = (tx: Transaction, schema: string) => Promise<boolean>;

/**
 * In steps, each a transaction of its own: a server has too few locks for all tables of a large project at once. Nothing
 * is remembered between the steps, so that another process can go on after any of them.
 * @param signal ends it between two steps. @throws KindError 503 if a table stays locked, or the reason of the signal
 */
async function dropProjectSchema(database: Database, schema: string, signal?: AbortSignal): Promise<void> {
  // Without foreign keys, a table is dropped without locks on those that refer to it.
  for (const step of [dropKeys, dropTables]) {
    while (await changeTables(database, schema, (tx) => step(tx, schema))) signal?.throwIfAborted();
  }
  await changeTables(database, schema, (tx) => tx.run(dropSchemaStatement(schema)));
}

/** Two processes that upgrade or delete the same project take turns, and each sees what the other has committed. */
function changeTables<T>(database: Database, schema: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return database.transaction(
    async (tx) => {
      await lockProject(tx, schema);
      return work(tx);
    },
    { isolation: 'read committed', lockTimeout: PROJECT_LOCK_TIMEOUT, statementTimeout: 0 },
  );
}

const dropKeys: Step = async (tx, schema) => {
  const keys = await tx.run<ForeignKeyRow>(foreignKeysStatement(schema, KEYS_PER_STEP));
  if (keys.length === 0) return false;
  await tx.run(dropForeignKeysStatement(schema, keys));
  return true;
};

const dropTables: Step = async (tx, schema) => {
  const tables = await tx.run<TableSizeRow>(tablesStatement(schema, TABLES_PER_STEP));
  const names = firstTables(tables);
  if (names.length === 0) return false;
  await tx.run(dropTablesStatement(schema, names));
  return true;
};

/** As many tables as one step takes; one at least, if there is one. */
function firstTables(tables: readonly TableSizeRow[]): string[] {
  let relations = 0;
  const names: string[] = [];
  for (const table of tables) {
    relations += table.relations;
    if (names.length > 0 && relations > RELATIONS_PER_STEP) break;
    names.push(table.name);
  }
  return names;
}
