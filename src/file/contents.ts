/** The contents of files as callers may read and write them. */
import { authorizeKind, checkActive } from '../access/access.js';
import type { Session } from '../catalog/session/session.js';
import { FILE_KIND, type Operation } from '../model/built-in-traits.js';
import type { KindDef } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import type { Opened } from '../run/command.js';
import { refusal } from '../shared/errors.js';
import { contentStatement, type FoundContentRow } from '../sql/file/content.sql.js';
import { parseKey } from '../unit/store/unit-ids.js';

/** The kind of the project's files, and those that the caller may read or write. @throws KindError 401, 403, 404 */
export function requireContents({ model, caller }: Opened, operation: Operation) {
  const { kind, grant } = authorizeKind(model, FILE_KIND, operation, caller);
  checkActive(kind);
  if (!kind.traits.contents)
    throw refusal('kind.not_allowed_here', `'${FILE_KIND}' is a kind of this project without contents`);
  return { kind, access: grant.predicate };
}

/** The content of a file; undefined if there is none that fits `access`. */
export async function findContent(
  session: Session,
  kind: KindDef,
  id: string,
  access: Predicate | undefined,
): Promise<FoundContentRow | undefined> {
  const key = parseKey(kind, id);
  if (key === undefined) return undefined;
  const { project, model, executor } = session;
  const { version } = model;
  const plan = { schema: project.schema, kind, version, id: key, access, tags: undefined, recording: undefined };
  const [row] = await executor.run<FoundContentRow>(contentStatement(plan));
  return row;
}
