/** Encrypts what is stored encrypted anew, for its place in another project. */
import type { Transaction } from '../../database/database.js';
import type { KindDef, Model } from '../../model/model.js';
import type { SecretBox } from '../../shared/secret-box.js';
import { readColumnStatement, writeColumnStatement, type ColumnValue } from '../../sql/list/project-rows.sql.js';
import type { Project } from '../../tenancy/project.js';

/** What the keys of the service do not open stays, and cannot be read. @param source the id of the former project */
export async function sealAnew(
  tx: Transaction,
  { model, project, source, box }: { model: Model; project: Project; source: string; box: SecretBox },
): Promise<void> {
  if (source === project.id) return;
  for (const { kind, column, field } of sealedColumns(model)) {
    const rows = await tx.run<ColumnValue>(readColumnStatement(project.schema, kind.table, column));
    const written = rows.flatMap(({ id, value }) => {
      const secret = box.open(value, [source, kind.id, id, field]);
      return secret === undefined ? [] : [{ id, value: box.seal(secret, [project.id, kind.id, id, field]) }];
    });
    if (written.length > 0) await tx.run(writeColumnStatement(project.schema, kind.table, column, written));
  }
}

function sealedColumns({ kinds }: Model): { kind: KindDef; column: string; field: string }[] {
  return [...kinds.values()].flatMap((kind) =>
    [...kind.fields.values()].flatMap(({ id, column, sealed }) =>
      sealed && column ? [{ kind, column, field: id }] : [],
    ),
  );
}
