/** Members that an administrator names, to be told what they may do. */
import { isMemberKind } from '../../model/model.js';
import type { KindError } from '../../shared/errors.js';
import { memberCaller, type Caller } from '../../tenancy/caller.js';
import type { Session } from '../../catalog/session/session.js';
import { parseKey } from '../store/unit-ids.js';
import { fetchUnit } from '../table/unit.repository.js';

/** The member as a caller. @param refusal of an id that no member has, with the reason */
export async function namedMember(session: Session, id: string, refusal: (text: string) => KindError): Promise<Caller> {
  for (const kind of session.model.kinds.values()) {
    if (!isMemberKind(kind)) continue;
    const key = parseKey(kind, id);
    const plan = { schema: session.project.schema, kind, fields: [kind.keyField], access: undefined };
    if (key === undefined || !(await fetchUnit(session, plan, key))) continue;
    if (!kind.active) throw refusal(`the kind '${kind.id}' of this member is inactive: its members have no good token`);
    return memberCaller(id, kind.id);
  }
  throw refusal(`no member of this project has the id '${id.slice(0, 100)}'`);
}
