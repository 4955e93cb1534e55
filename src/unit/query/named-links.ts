/** The link types and kinds that `link_id` and `kind_id` name, of traversals and of `load_links` alike. Pure. */
import { authorizeKind, checkActive, suggestableLinkTypes } from '../../access/access.js';
import type { ListQuery } from '../../filter/list-query.js';
import { isLinkable, type KindDef } from '../../model/model.js';
import { didYouMean } from '../../shared/did-you-mean.js';
import { KindError, refusal } from '../../shared/errors.js';
import { shortened } from '../../shared/shortened.js';
import type { Session } from '../../catalog/session/session.js';

/**
 * The kinds; undefined for all.
 * @throws KindError 401 or 403 for a kind that the caller may not read, 404 for one that is not there or has no links, and
 *   for an unknown link type
 */
export function namedKinds(
  { model, caller }: Session,
  { linkIds = [], kindIds }: Pick<ListQuery, 'linkIds' | 'kindIds'>,
): ReadonlySet<KindDef> | undefined {
  const kinds = kindIds?.map((id): KindDef => {
    const kind = atKindId(() => authorizeKind(model, id, 'read', caller).kind);
    checkActive(kind);
    if (!isLinkable(kind)) throw notLinked(kind, { parameter: 'kind_id' });
    return kind;
  });
  const unknown = linkIds.find((id) => !model.linkTypes.has(id));
  if (unknown === undefined) return kinds && new Set(kinds);
  const hint = didYouMean(unknown, suggestableLinkTypes(model, caller));
  throw refusal('link.unknown', `link_id: no link type '${shortened(unknown)}'${hint}`, { parameter: 'link_id' });
}

/** Adds the query parameter to the refusal of an unknown kind. */
function atKindId<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof KindError) || error.code !== 'kind.unknown') throw error;
    throw refusal('kind.unknown', `kind_id: ${error.messages[0].text}`, { parameter: 'kind_id' });
  }
}

export function notLinked({ id }: KindDef, place?: { readonly parameter: string }): KindError {
  return refusal('link.unknown', `Units of '${id}' have no links of this sort`, place);
}
