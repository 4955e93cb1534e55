/** Links go with the units that they join; every deletion of units comes by here, in its own transaction. */
import type { KindDef } from '../model/model.js';
import { deleteLinksOfStatement } from '../sql/link.sql.js';
import type { Session } from './session.js';

/** Whether units of the kind can be linked by users' link types: kinds of the model have their own. */
export function isLinkable(kind: KindDef): boolean {
  return !kind.builtIn && !kind.remote;
}

/** To be called after the rows went: from then on nobody makes a new link to them. */
export async function deleteLinksOf(
  { executor, project }: Session,
  kind: KindDef,
  keys: readonly string[],
): Promise<void> {
  if (isLinkable(kind)) await executor.run(deleteLinksOfStatement(project.schema, kind, keys));
}
