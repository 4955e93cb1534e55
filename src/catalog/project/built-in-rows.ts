/** Inserts the rows of built-in kinds, groups and link types. */
import type { Executor } from '../../database/database.js';
import { GROUP_KIND, KIND_KIND, LINK_KIND } from '../../model/built-in-traits.js';
import { BUILT_IN_GROUPS } from '../../model/built-in/built-in.js';
import type { ModelRecords } from '../../model/build/definition-records.js';
import { builtInRecords, buildModel } from '../../model/build/build-model.js';
import { provisionRowsStatement } from '../../sql/definition/model.sql.js';

/**
 * Inserts missing rows of built-in kinds, groups and link types. Returns how many were missing.
 * @param records without kinds that the project keeps its own in place of
 */
export async function insertBuiltInRows(
  executor: Executor,
  schema: string,
  records: ModelRecords = builtInRecords(),
): Promise<number> {
  const model = buildModel(records);
  const descriptions = new Map(BUILT_IN_GROUPS.map((group) => [group.id, group.description]));
  const rows: [string, readonly object[]][] = [
    [KIND_KIND, records.kinds],
    [GROUP_KIND, records.groups.map((group) => ({ ...group, description: descriptions.get(group.id) ?? '' }))],
    [LINK_KIND, records.links],
  ];
  let added = 0;
  for (const [id, definitions] of rows) {
    const kind = model.kinds.get(id);
    if (!kind) throw new Error(`the built-in model has no kind '${id}'`);
    const inserted = await executor.run(
      provisionRowsStatement(
        schema,
        kind,
        definitions.map((row) => ({ ...row })),
      ),
    );
    added += inserted.length;
  }
  return added;
}
