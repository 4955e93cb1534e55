/** Whose client it is. Pure. */
import { ADMIN_KIND } from '../../model/built-in-traits.js';
import { isMemberKind, type Model } from '../../model/model.js';
import { refusal } from '../../shared/errors.js';
import { shortened } from '../../shared/texts.js';
import { ANONYMOUS, knowsWholeProject, memberCaller, type Caller } from '../../tenancy/caller.js';

const [ANYONE, ADMINISTRATOR] = ['anyone', 'administrator'];

interface ClientCaller {
  readonly caller: Caller;
  /** As the file says it. */
  readonly name: string;
}

/**
 * A caller with the rights of `anyone`, of `administrator` or of a member kind; the caller itself if `as` is undefined.
 * Others than who may know the whole project may be told what anyone may do, too. @throws KindError 400, 401, 403
 */
export function clientCaller(as: string | undefined, caller: Caller, model: Model): ClientCaller {
  if (as === undefined) return { caller, name: nameOf(caller) };
  if (as === ANYONE) return { caller: ANONYMOUS, name: as };
  if (!knowsWholeProject(caller)) {
    if (caller.type === 'anonymous') throw refusal('token.missing', 'as: other callers need a bearer token');
    throw refusal('access.denied', `as: only who may know the whole project sees it as '${shortened(as)}' does`);
  }
  if (as === ADMINISTRATOR || as === ADMIN_KIND) return { caller: memberCaller('', ADMIN_KIND), name: ADMINISTRATOR };
  const kind = model.kinds.get(as);
  if (kind && isMemberKind(kind)) return { caller: memberCaller('', as), name: as };
  const known = [ANYONE, ADMINISTRATOR, ...[...model.kinds.values()].filter(isMemberKind).map(({ id }) => id)];
  throw refusal('query.bad_value', `as: '${shortened(as)}' is none of ${known.join(', ')}`, { parameter: 'as' });
}

function nameOf(caller: Caller): string {
  if (caller.type === 'anonymous') return ANYONE;
  return caller.type === 'system' || caller.admin ? ADMINISTRATOR : caller.kindId;
}
