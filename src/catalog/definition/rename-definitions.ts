/** Gives definitions other ids, in every place that names them. What is stored stays where it is. */
import type { Executor } from '../../database/database.js';
import { GROUP_KIND, IDENTITY_PROVIDER_KIND, KIND_KIND, LINK_KIND, WEBHOOK_KIND } from '../../model/built-in-traits.js';
import { PARAMETER_TABLE } from '../../model/built-in/built-in.js';
import { isMemberKind, PARAMETER_GROUP, type Model } from '../../model/model.js';
import { RenamedFilters } from '../../model/rename/renamed-filter.js';
import { renamedRecords, type DefinitionRecords } from '../../model/rename/renamed-records.js';
import { newParameterName, newRecordId, type Renames } from '../../model/rename/renames.js';
import { renamedTables } from '../../model/table/renamed-tables.js';
import { tablesInPieces } from '../../model/table/required-tables.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { isPlainObject, jsonEqual, type Json } from '../../shared/json.js';
import { runYielding } from '../../shared/work-in-pieces.js';
import { loadModelStatement, type ModelRow } from '../../sql/definition/model.sql.js';
import {
  editDefinitionStatement,
  forgetQueriesStatement,
  hookFiltersStatement,
  inSteps,
  providerClaimsStatement,
  renameColumnsStatements,
  renameDefinedInStatement,
  renameNamedStatements,
  renameRecordedMembersStatements,
  renameRecordsStatement,
  renameStoredStatements,
  renameTablesStatements,
  renameUnitsStatements,
} from '../../sql/definition/rename.sql.js';
import type { Statement } from '../../sql/fragment.js';
import { lockLinksStatement } from '../../sql/link/link.sql.js';
import type { Project } from '../../tenancy/project.js';
import { loadModel, recordsInPieces } from '../model/model-store.js';
import type { DefinitionChange } from './definition-change.js';

type Sort = keyof DefinitionRecords;
/** A record as it is stored: by column. */
type StoredRecord = Readonly<Record<string, Json>> & { readonly id: string };

const KIND_OF_SORT = { kinds: KIND_KIND, groups: GROUP_KIND, links: LINK_KIND } as const;
const TABLE_OF_SORT = { ...KIND_OF_SORT, parameters: PARAMETER_TABLE } as const;

/**
 * Renames before anything else of a change of definitions, which then begins with the model that it returns.
 * @throws KindError 400 where a rule names something of which only a part is renamed
 */
export async function renameDefinitions(project: Project, change: DefinitionChange, renames: Renames): Promise<Model> {
  const { tx, before } = change;
  const { schema } = project;
  // Of kinds without a table nothing else holds up who links their units.
  const isRemote = [...renames.kinds.keys()].some((id) => before.kinds.get(id)?.storage.hasTable === false);
  if (renames.linkTypes.size > 0 || isRemote) await tx.run(lockLinksStatement(schema));
  const yielder = new EventLoopYield(schema);
  const rows = await tx.run<ModelRow>(loadModelStatement(schema));
  const records = await runYielding(recordsInPieces(rows), yielder);
  const renamed = await runYielding(renamedRecords(records, before, renames), yielder);
  await editRecords(project, change, records, renamed);
  await giveIds(tx, schema, before, renames);
  const after = await loadModel(tx, project);
  const [old, now] = [
    await runYielding(tablesInPieces(before), yielder),
    await runYielding(tablesInPieces(after), yielder),
  ];
  // Their locks wait for who writes units of these kinds, or links between them, with the old names.
  const tables = renamedTables(before, renames, old, now);
  change.effects?.setRenamed(tables);
  await runAll(tx, renameTablesStatements(schema, tables));
  for (const step of stepsOf(renames)) await runAll(tx, renameStoredStatements(schema, step));
  await renameRecordedValues(tx, schema, before, renames, after);
  await tx.run(forgetQueriesStatement(schema));
  change.renamed(renames, after);
  return after;
}

/** What names definitions in units of built-in kinds. To be called after the version of the model was raised. */
export async function renameInUnits(project: Project, change: DefinitionChange, before: Model): Promise<void> {
  const { tx, renames } = change;
  const { schema } = project;
  const filters = new RenamedFilters(before, renames);
  const hooks = await tx.run<{ id: string; kinds: readonly string[] | null; filter: string }>(
    hookFiltersStatement(schema),
  );
  for (const { id, kinds, filter } of hooks) {
    const of = (kinds ?? []).flatMap((kind) => before.kinds.get(kind) ?? []);
    const after = { filter: filters.ofKinds(filter, of) };
    await editIfOther(project, change, { kindId: WEBHOOK_KIND, id, before: { filter }, after });
  }
  const providers = await tx.run<{ id: string; member_kind: string; claims: Json }>(providerClaimsStatement(schema));
  for (const { id, member_kind: memberKind, claims } of providers) {
    const kind = before.kinds.get(memberKind);
    if (!kind || !isPlainObject(claims)) continue;
    const named = Object.entries(claims).map(([name, claim]) => [newParameterName(before, renames, kind, name), claim]);
    const after = { claims: Object.fromEntries(named) as Json };
    await editIfOther(project, change, { kindId: IDENTITY_PROVIDER_KIND, id, before: { claims }, after });
  }
  for (const step of stepsOf(renames)) await runAll(tx, renameNamedStatements(schema, step));
  const ofMembers = [...before.kinds.values()].filter(isMemberKind).map(({ id }) => id);
  const kinds = new Map([...renames.kinds].filter(([id]) => ofMembers.includes(id)));
  for (const step of inSteps(kinds)) await runAll(tx, renameRecordedMembersStatements(schema, step));
}

/** The records with the fields that name something renamed; their own ids stay. */
async function editRecords(
  project: Project,
  change: DefinitionChange,
  records: DefinitionRecords,
  renamed: DefinitionRecords,
): Promise<void> {
  const owners = new Map<string, readonly string[]>();
  for (const sort of Object.keys(records) as Sort[]) {
    const after = renamed[sort] as unknown as readonly StoredRecord[];
    for (const [at, record] of (records[sort] as unknown as readonly StoredRecord[]).entries()) {
      const { defined_in: definedIn, ...now }: StoredRecord = { ...after[at], id: record.id };
      if (!jsonEqual(definedIn ?? null, record['defined_in'] ?? null))
        owners.set(record.id, definedIn as readonly string[]);
      const kindId = sort === 'parameters' ? (record['kind_id'] as string) : KIND_OF_SORT[sort];
      await editIfOther(project, change, { kindId, id: record.id, before: record, after: now });
    }
  }
  if (owners.size > 0) await change.tx.run(renameDefinedInStatement(project.schema, owners));
}

interface EditedRecord {
  readonly kindId: string;
  readonly id: string;
  readonly before: Readonly<Record<string, Json>>;
  readonly after: Readonly<Record<string, Json>>;
}

async function editIfOther(
  project: Project,
  change: DefinitionChange,
  { kindId, id, before, after }: EditedRecord,
): Promise<void> {
  const values = Object.fromEntries(Object.entries(after).filter(([name, value]) => !jsonEqual(value, before[name])));
  if (Object.keys(values).length === 0) return;
  await change.tx.run(editDefinitionStatement(change.planOf(project, kindId), { id, values }));
}

/** The ids of the records, and of these in what was recorded of their changes. */
async function giveIds(tx: Executor, schema: string, before: Model, renames: Renames): Promise<void> {
  const parameters = new Map(
    [...before.parameters.keys()]
      .map((id): [string, string] => [id, newRecordId(renames, id)])
      .filter(([id, now]) => id !== now),
  );
  const ids = { kinds: renames.kinds, groups: renames.groups, links: renames.linkTypes, parameters };
  for (const sort of Object.keys(ids) as Sort[]) {
    const kinds = sort === 'parameters' ? (before.groups.get(PARAMETER_GROUP)?.kinds ?? []) : [KIND_OF_SORT[sort]];
    for (const step of inSteps(ids[sort])) {
      await tx.run(renameRecordsStatement(schema, TABLE_OF_SORT[sort], step));
      await runAll(tx, renameUnitsStatements(schema, kinds, step));
    }
  }
}

/** The values in what was recorded of units, which are stored by column. */
async function renameRecordedValues(
  tx: Executor,
  schema: string,
  before: Model,
  renames: Renames,
  after: Model,
): Promise<void> {
  for (const kind of before.kinds.values()) {
    if (kind.builtIn || kind.changes === 'none') continue;
    const now = after.kinds.get(renames.kinds.get(kind.id) ?? kind.id);
    if (!now) continue;
    const columns = [...kind.fields.values()].flatMap(({ id, column }): [string, string][] => {
      const other = now.fields.get(newParameterName(before, renames, kind, id))?.column;
      return column === undefined || other === undefined || other === column ? [] : [[column, other]];
    });
    if (columns.length > 0) await runAll(tx, renameColumnsStatements(schema, now.id, columns));
  }
}

/** The same renames in steps: see `inSteps`. */
function stepsOf({ kinds, linkTypes }: Renames): Pick<Renames, 'kinds' | 'linkTypes'>[] {
  const none: ReadonlyMap<string, string> = new Map();
  const [ofKinds, ofLinks] = [inSteps(kinds), inSteps(linkTypes)];
  return Array.from({ length: Math.max(ofKinds.length, ofLinks.length) }, (_, at) => {
    return { kinds: ofKinds[at] ?? none, linkTypes: ofLinks[at] ?? none };
  });
}

async function runAll(executor: Executor, statements: readonly Statement[]): Promise<void> {
  for (const statement of statements) await executor.run(statement);
}
