/** Secrets that a file gives again although they are stored already, which is no change. */
import type { Session } from '../catalog/session/session.js';
import { CLIENT_SECRET } from '../model/built-in/identity-fields.js';
import { SEALED_HEADERS } from '../model/built-in/webhook-fields.js';
import { sealedColumns } from '../model/sealed-fields.js';
import { isPlainObject, type Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import type { SecretBox } from '../shared/secret-box.js';
import { sealedRowsStatement, type SealedRow } from '../sql/sealed.sql.js';
import type { Edit, ModelChanges } from './definitions.js';
import type { FileObject } from './sections.js';

interface SecretField {
  readonly name: string;
  /** Where it is stored, encrypted. */
  readonly stored: string;
  /** Where it is sent to: elsewhere it has to be given again. */
  readonly place: string;
  readonly most: number;
  readonly isSame: (given: Json, stored: string) => boolean;
}

const SECRETS: Readonly<Record<string, SecretField>> = {
  webhooks: {
    name: 'headers',
    stored: SEALED_HEADERS,
    place: 'url',
    most: LIMITS.webhooksOfProject,
    isSame: (given, stored) => isPlainObject(given) && isKept(given, JSON.parse(stored) as FileObject),
  },
  identity_providers: {
    name: CLIENT_SECRET,
    stored: CLIENT_SECRET,
    place: 'issuer',
    most: LIMITS.providersOfProject,
    isSame: (given, stored) => given === stored,
  },
};

/** Null is a value that is kept. */
function isKept(given: FileObject, stored: FileObject): boolean {
  const names = Object.keys(given);
  const isSame = (name: string) => name in stored && (given[name] ?? stored[name]) === stored[name];
  return names.length === Object.keys(stored).length && names.every(isSame);
}

/** The changes without secrets that are the same. Those that no key opens are written anew. */
export async function withoutSameSecrets(
  session: Session,
  box: SecretBox,
  { edits, ...changes }: ModelChanges,
): Promise<ModelChanges> {
  const left: Edit[] = [];
  for (const edit of edits) {
    const secret = SECRETS[edit.definition.section];
    if (!secret || !(await isStored(session, box, edit, secret))) {
      left.push(edit);
      continue;
    }
    const values = Object.fromEntries(Object.entries(edit.values).filter(([name]) => name !== secret.name));
    if (Object.keys(values).length > 0) left.push({ ...edit, values });
  }
  return { ...changes, edits: left };
}

async function isStored(
  { project, model, executor }: Session,
  box: SecretBox,
  { definition: { kindId, id }, values }: Edit,
  { name, stored, place, most, isSame }: SecretField,
): Promise<boolean> {
  const given = values[name] ?? null;
  const column = sealedColumns(model).find(({ kind, field }) => kind.id === kindId && field === stored);
  if (given === null || place in values || !column) return false;
  const page = { after: undefined, limit: most };
  const rows = await executor.run<SealedRow>(sealedRowsStatement(project.schema, column, page));
  const row = rows.find((each) => each.id === id);
  const secret = row && box.open(row.value, [project.id, kindId, id, stored]);
  return secret !== undefined && isSame(given, secret);
}
