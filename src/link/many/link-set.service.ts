/** Creates many links of one unit at once, and deletes its other ones. */
import { Injectable } from '@nestjs/common';
import { grantOf } from '../../access/access.js';
import { accessDenied } from '../../access/level.js';
import { hasOwnAccess, linkGrantOf } from '../../access/link-access.js';
import { inTransaction } from '../../catalog/session/executors.js';
import { linkRecordingOf } from '../../catalog/session/recording.js';
import type { Session } from '../../catalog/session/session.js';
import { Database } from '../../database/database.js';
import { pageAnswer } from '../../http/answer/answer.js';
import { parseBody, type ReceivedBody } from '../../http/body/read-body.js';
import { refuseQuery } from '../../http/route/parse-list-query.js';
import { isLinkable, type KindDef, type LinkTypeDef } from '../../model/model.js';
import type { Command, Opened } from '../../run/command.js';
import { Faults, KindError, type Message, refusal, retryLater } from '../../shared/errors.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { getOrInsert } from '../../shared/maps.js';
import { LIMITS } from '../../shared/limits.js';
import { type MaybePromise, runYielding } from '../../shared/work-in-pieces.js';
import { keepVersionStatement } from '../../sql/definition/model.sql.js';
import type { NewLinkRow } from '../../sql/link/link-set-write.sql.js';
import type { LinkSet, LinksToDelete, OtherUnits } from '../../sql/link/link-set.sql.js';
import { DefaultBytes } from '../../unit/draft/default-bytes.js';
import type { Draft } from '../../unit/draft/draft.js';
import { readableLinkFields, traversableKinds } from '../../unit/query/reachable-kinds.js';
import { unknownUnit } from '../../unit/store/unit-ids.js';
import { LinkHooks } from '../../unit/table/links/link-hooks.js';
import { UnitQuota } from '../../unit/table/write/unit-quota.js';
import { type FoundLink, LinkValueReader } from '../link-values.js';
import { LinkSetHooks } from './link-set.hooks.js';
import {
  addMissingUnit,
  type GivenLink,
  type GivenLinks,
  linkedKinds,
  type LinkSetPath,
  otherUnitsOf,
  planLinkSet,
  type PlannedLinkSet,
  planOtherKinds,
  readLinks,
} from './link-set.plan.js';
import { lockLinkSetUnit, lockLinksToDelete, lockOtherUnits, refusedLinks, writeLinks } from './link-set.repository.js';

/** Attempts to write links that other requests create or delete meanwhile. */
const ATTEMPTS = 5;

/** The parts of an HTTP request that it needs. */
interface LinkSetRequest {
  readonly url: string;
  readonly contentType: string | undefined;
}

/** Reads the links that are given; throws the error of that. */
type ReadLinks = () => MaybePromise<GivenLinks>;

/** A body after its validation, as far as that needs no statement. */
interface ValidatedLinks {
  readonly links: readonly GivenLink[];
  readonly replace: boolean;
  /** The units to look up, sorted by kind. */
  readonly others: readonly OtherUnits[];
  /** By the position of the link. */
  readonly drafts: ReadonlyMap<number, Draft>;
  readonly faults: readonly Message[];
}

interface LinkRecords {
  readonly count: number;
  /** JSON text: the records in the order of the request. */
  readonly items: string;
}

@Injectable()
export class LinkSetService {
  constructor(
    private readonly database: Database,
    private readonly values: LinkValueReader,
    private readonly hooks: LinkHooks,
    private readonly setHooks: LinkSetHooks,
    private readonly quota: UnitQuota,
  ) {}

  /** Answers the records of the links. */
  create(path: LinkSetPath, { url, contentType }: LinkSetRequest): Command {
    const given = async ({ project }: Opened, bytes: ReceivedBody): Promise<GivenLinks> => {
      refuseQuery(url);
      const body = await parseBody(bytes, contentType, project.schema);
      return runYielding(readLinks(body), new EventLoopYield(project.schema));
    };
    return {
      authorize: (opened) => {
        planLinkSet(opened, path);
        return {
          effect: 'write',
          kindId: path.kind,
          shows: 'links',
          body: 'bodyLimitUnits',
          recheck: async (now, bytes) => {
            const { links } = await given(now, bytes);
            planOtherKinds(now, links, planLinkSet(now, path));
            return [];
          },
          run: async (session, bytes) => pageAnswer(await this.createIn(session, path, () => given(session, bytes))),
        };
      },
    };
  }

  /** Creates links within a session, or in a transaction of its own if the session has none. */
  async createIn(session: Session, path: LinkSetPath, read: ReadLinks): Promise<LinkRecords> {
    const planned = planLinkSet(session, path);
    const validated = await this.#validate(session, planned, read);
    const write = (within: Session) => this.#write(within, path, planned, validated);
    session.executor.tx?.beforeCommit(keepVersionStatement(session.project.schema));
    const parents = parentsOf(session, planned, validated);
    const [parent] = parents;
    const replace = !(validated instanceof KindError) && validated.replace;
    const needs =
      parent && this.setHooks.mayRun(parents, replace, session)
        ? this.hooks.needs(parent, session, `link ${path.kind} ${path.unit}`)
        : ({ isolation: 'read committed' } as const);
    return inTransaction(this.database, session, needs, write);
  }

  /**
   * Validates the body before the transaction, so that no lock is held meanwhile. Missing rights for kinds of units are
   * thrown at once; faults are answered after the unit of the path is found.
   */
  async #validate(session: Session, planned: PlannedLinkSet, read: ReadLinks): Promise<ValidatedLinks | KindError> {
    const { type } = planned;
    const given = await caught(async () => read());
    if (given instanceof KindError) return given;
    const { links, replace, faults } = given;
    const kinds = planOtherKinds(session, links, planned);
    return caught(async () => {
      const others = otherUnitsOf(links, kinds, faults);
      const drafts = await this.values.ofMany(session, type, links, faults);
      return { links, replace, others, drafts, faults: faults.messages };
    });
  }

  async #write(
    session: Session,
    path: LinkSetPath,
    planned: PlannedLinkSet,
    validated: ValidatedLinks | KindError,
  ): Promise<LinkRecords> {
    const { type, direction, unit, allowed } = planned;
    const { schema } = session.project;
    const plan = { schema, version: session.model.version };
    const replace = !(validated instanceof KindError) && validated.replace;
    const locked = await lockLinkSetUnit(session, { ...plan, unit, allowed, replace });
    if (locked.id === null) throw unknownUnit(unit.kind, path.unit);
    if (!locked.allowed) throw mayNotLink(session, unit.kind.id);
    if (validated instanceof KindError) throw validated;
    if (validated.links.length > 0) await this.quota.checkStorage(session);
    const set: LinkSet = {
      ...plan,
      linkId: type.id,
      direction,
      kind: unit.kind,
      id: locked.id,
      recording: linkRecordingOf(session),
    };
    const defaults = new DefaultBytes(session);
    try {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const records = await this.#attempt(session, set, planned, validated, defaults);
        if (records) return { count: records.length, items: `[${records.join(',')}]` };
      }
    } finally {
      defaults.end();
    }
    throw retryLater('database.busy', 'The same links are made and deleted all the time');
  }

  /** The records in order; undefined if a link was created or deleted meanwhile. */
  async #attempt(
    session: Session,
    set: LinkSet,
    { type }: PlannedLinkSet,
    { replace, faults: messages, ...given }: ValidatedLinks,
    defaults: DefaultBytes,
  ): Promise<string[] | undefined> {
    const faults = new Faults([...messages]);
    const found = await this.#found(session, set, { ...given, replace, faults });
    const deleted = replace ? await this.#linksToDelete(session, set, type, found) : undefined;
    const links = await this.setHooks.beforeCreates(session, set, type, found, { faults, defaults });
    const unlinked = deleted === undefined ? [] : await this.setHooks.beforeDeletes(session, set, deleted);
    const written = await this.values.rowsOfMany(session, type, links, { faults, replace, defaults });
    const shown = type.parameters.length === 0 ? [] : readableLinkFields(type, session.caller, session.model);
    const rows = await writeLinks(session, set, { ...written, shown, replace, deleted });
    const byUnit = new Map(rows.map((row) => [unitName(row.kind, row.id), row]));
    const inOrder = found.map(({ kindId, id }) => byUnit.get(unitName(kindId, id)));
    if (!replace) refuseDiffering(inOrder, found);
    const records = inOrder.flatMap((row) => row?.body ?? []);
    if (records.length < found.length) return undefined;
    await this.setHooks.afterCreates(session, set, found);
    await this.setHooks.afterDeletes(session, unlinked);
    return records;
  }

  /** The links whose units the caller can read; adds faults for the others. @throws KindError 401, 403 */
  async #found(
    session: Session,
    set: LinkSet,
    { links, replace, others, drafts, faults }: Omit<ValidatedLinks, 'faults'> & { readonly faults: Faults },
  ): Promise<FoundLink[]> {
    const rows = await lockOtherUnits(session, set, others, replace);
    const byPosition = new Map(rows.found?.map((row) => [row[0], row]));
    const linked = new Set(rows.linked?.map(([kind, id]) => unitName(kind, id)));
    const kindOf = new Map(others.flatMap(({ kind, positions }) => positions.map((at) => [at, kind] as const)));
    const found: FoundLink[] = [];
    const missing: GivenLink[] = [];
    for (const link of links) {
      const { index, kindId } = link;
      const [, id, allowed] = byPosition.get(index) ?? [];
      if (id === undefined) missing.push(link);
      else if (!allowed) throw mayNotLink(session, kindId, index);
      else found.push({ ...link, id, linked: linked.has(unitName(kindId, id)), draft: drafts.get(index) ?? NO_VALUES });
    }
    await checkCreates(session, set, others, found);
    for (const { index } of missing) {
      const kind = kindOf.get(index);
      if (kind) addMissingUnit(kind, index, faults);
    }
    return found;
  }

  /** Locks the links that are to be deleted, and returns their other units. @throws KindError 400, 401, 403 */
  async #linksToDelete(
    session: Session,
    set: LinkSet,
    type: LinkTypeDef,
    found: readonly FoundLink[],
  ): Promise<string> {
    const { passed, passesAll } = await traversableKinds(session);
    const most = LIMITS.replacedLinks;
    const kept = JSON.stringify(found.map(({ kindId, id }) => ({ kind: kindId, id })));
    const allowed = hasOwnAccess(type, 'delete') ? undefined : this.#linkable(session, set, passed);
    const links: LinksToDelete = { passed, passesAll, kept, allowed, most };
    const { over, denied, units } = await lockLinksToDelete(session, set, links);
    if (denied) throw mayNotLink(session, denied[0]);
    if (over) {
      const number = most.toLocaleString('en');
      throw refusal('link.too_many', `replace: more than ${number} links would be deleted`, { parameter: 'replace' });
    }
    await checkDeletes(session, set, type, units);
    return units;
  }

  /** The parents that the caller may link; undefined if the unit of the path is the parent. */
  #linkable(
    { caller, model }: Session,
    { direction }: LinkSet,
    passed: LinksToDelete['passed'],
  ): LinksToDelete['allowed'] {
    if (direction === 'child') return undefined;
    return passed.flatMap(({ kind }) => {
      const grant = grantOf(kind, 'link', caller, model);
      return grant ? [{ kind, allowed: grant.predicate }] : [];
    });
  }
}

/** The kinds of parents of which hooks may run; with `replace`, also of links that the request does not name. */
function parentsOf(
  { model }: Session,
  { direction, unit }: PlannedLinkSet,
  validated: ValidatedLinks | KindError,
): KindDef[] {
  if (validated instanceof KindError) return [];
  if (direction === 'child') return [unit.kind];
  return validated.replace ? [...model.kinds.values()].filter(isLinkable) : validated.others.map(({ kind }) => kind);
}

const NO_VALUES: Draft = { row: {}, written: [], values: new Map() };

function unitName(kind: string | null, id: string | null): string {
  return `${kind ?? ''}/${id ?? ''}`;
}

/** The result of work, or the error that it throws if the caller is at fault. */
async function caught<T>(work: () => Promise<T>): Promise<T | KindError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KindError) return error;
    throw error;
  }
}

/** @throws KindError 409 with the position of each link that has other values than it was given */
function refuseDiffering(rows: readonly (NewLinkRow | undefined)[], found: readonly FoundLink[]): void {
  const faults = new Faults();
  for (const [at, { index }] of found.entries()) {
    if (!rows[at]?.differs) continue;
    const text = `items[${index}]: this link exists with other values; PUT on its path, or 'replace', changes them`;
    faults.add('link.differs', text, { index });
  }
  faults.throwIfAny();
}

/** @throws KindError 401, 403 with the position of the first link that the access of its type does not allow */
async function checkCreates(
  session: Session,
  set: LinkSet,
  others: readonly OtherUnits[],
  found: readonly FoundLink[],
): Promise<void> {
  for (const { kind, allowed, rule } of others) {
    const links = found.filter(({ kindId }) => kindId === kind.id);
    if (!rule || links.length === 0) continue;
    const ids = links.map(({ id }) => id);
    const refused = await refusedLinks(session, set, { kind, allowed, rule, ids });
    const first = links.find(({ id }) => refused.has(id));
    if (first) throw mayNotLink(session, first.kindId, first.index);
  }
}

/**
 * Checks the deletion of links, where it is not decided by what was checked of the unit of the path. @param units JSON text
 * @throws KindError 401, 403 if one of the links may not be deleted
 */
async function checkDeletes(session: Session, set: LinkSet, type: LinkTypeDef, units: string): Promise<void> {
  if (!hasOwnAccess(type, 'create') && !hasOwnAccess(type, 'delete')) return;
  const { model, caller } = session;
  const idsByKind = new Map<string, string[]>();
  for (const { kind, id } of JSON.parse(units) as { readonly kind: string; readonly id: string }[]) {
    getOrInsert(idsByKind, kind, () => []).push(id);
  }
  for (const [kindId, ids] of idsByKind) {
    const kind = model.kinds.get(kindId);
    const kinds = kind && linkedKinds(set.kind, kind, set.direction);
    const grant = kinds && linkGrantOf(type, 'delete', kinds, caller, model);
    if (!kind || !kinds || !grant) throw mayNotLink(session, kinds?.parent.id ?? kindId);
    if (!grant.allowed && !grant.rule) continue;
    const refused = await refusedLinks(session, set, { kind, ...grant, ids });
    if (refused.size > 0) throw mayNotLink(session, kinds.parent.id);
  }
}

function mayNotLink({ caller }: Session, kindId: string, index?: number): KindError {
  const denied = accessDenied(caller, `You may not link this unit of '${kindId}'`);
  return index === undefined ? denied : denied.withMessages([{ ...denied.messages[0], index }]);
}
