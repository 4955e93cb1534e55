/**
 * Explains to administrators what a member may do with a unit, and which level or rule decides; and who may link it as
 * the parent, where the access of the link type decides.
 */
import { Injectable } from '@nestjs/common';
import { authorizeAdministrator, authorizeKind, grantOf } from '../../access/access.js';
import { readableFields, writableFields } from '../../access/masks.js';
import {
  explainAccess,
  explainLink,
  linkChecks,
  type LinkExplanation,
  type OperationCheck,
  operationChecks,
  predicatesToTest,
} from '../../access/explain.js';
import { ruleLimitFault } from '../../access/rule.js';
import { type Answer, jsonAnswer } from '../../http/answer/answer.js';
import { readQuery } from '../../http/route/parse-list-query.js';
import { EXPLANATION_QUERY, type QueryName } from '../../http/route/query-names.js';
import { isConditional } from '../../model/predicate/conditional-field.js';
import type { Visible } from '../../model/predicate/predicate.js';
import { isLinkable, isMemberKind, type KindDef } from '../../model/model.js';
import { type KindError, refusal } from '../../shared/errors.js';
import { ANONYMOUS, type Caller, memberCaller } from '../../tenancy/caller.js';
import { UnitStores } from '../unit-stores.js';
import { type Command, reading } from '../../run/command.js';
import type { Session } from '../../catalog/session/session.js';
import { parseKey, requireKey, unknownUnit } from '../store/unit-ids.js';
import { evaluateLink, fetchUnit } from '../table/unit.repository.js';
import { notLinked } from '../query/reachable-kinds.js';

/** The child of the links to explain. */
interface NamedChild {
  readonly kind: KindDef;
  readonly id: string;
}

interface Parent extends NamedChild {
  /** Whether the member can read it. */
  readonly isReadable: boolean;
}

/** The explanations of the operations, by link type. */
type Explained = Readonly<Record<string, Readonly<Record<string, LinkExplanation>>>>;

@Injectable()
export class Explanations {
  constructor(private readonly stores: UnitStores) {}

  /**
   * For each operation, whether the member in the query (without one, an anonymous caller) may do it with the unit, and
   * why; the parameters that the member may read and write; and the links for which the access of their type decides.
   * @throws KindError 401, 403 for callers who are not administrators
   */
  ofUnit(kindId: string, unitId: string, url: string): Command {
    return reading((opened) => {
      const { kind } = authorizeAdministrator(opened.model, kindId, opened.caller);
      this.stores.of(kind).checkState(kind, opened, 'get');
      const run = (session: Session): Promise<Answer> => this.#explain(session, kind, unitId, url);
      return { once: !kind.storage.transactional, run };
    });
  }

  async #explain(session: Session, kind: KindDef, unitId: string, url: string): Promise<Answer> {
    const asked = await this.#read(
      () => this.#asked(session, kind, url),
      () => this.#checkExists(session, kind, unitId),
    );
    const { member, child } = asked;
    const checks = operationChecks(kind, member, session.model);
    const operations = explainAccess(checks, await this.#evaluate(session, kind, unitId, checks));
    const { model } = session;
    const masks = { read: readableFields(kind, member, model), write: writableFields(kind, member, model) };
    const isReadable = operations['read']?.allowed === true;
    const links = await this.#links(session, { kind, id: unitId, isReadable }, child, member);
    return jsonAnswer({
      id: unitId,
      kind_id: kind.id,
      member: member.type === 'member' ? { id: member.id, kind_id: member.kindId } : null,
      operations,
      ...(links && { links }),
      parameters: {
        read: await this.#usable(session, kind, unitId, masks.read),
        write: await this.#usable(session, kind, unitId, masks.write),
      },
    });
  }

  /** Tests the rules of all operations in one statement, or in one per operation if together they exceed the limits. */
  async #evaluate(
    session: Session,
    kind: KindDef,
    unitId: string,
    checks: readonly OperationCheck[],
  ): Promise<boolean[]> {
    const isSmall = ruleLimitFault(predicatesToTest(checks)) === undefined;
    const holds: boolean[] = [];
    for (const part of isSmall ? [checks] : checks.map((check) => [check])) {
      const answers = await this.stores.of(kind).reads.evaluate(session, kind, unitId, predicatesToTest(part));
      if (!answers) throw unknownUnit(kind, unitId);
      holds.push(...answers);
    }
    return holds;
  }

  /** The fields of a mask that the member may use in this unit: those with rules if they hold. */
  async #usable(session: Session, kind: KindDef, unitId: string, mask: Visible): Promise<string[]> {
    const conditional = [...mask.values()].filter(isConditional);
    const conditions = conditional.map(({ condition }) => condition);
    const holds =
      conditions.length > 0 ? await this.stores.of(kind).reads.evaluate(session, kind, unitId, conditions) : undefined;
    const refused = new Set(conditional.filter((_, at) => !holds?.[at]).map(({ id }) => id));
    return [...mask.keys()].filter((id) => !refused.has(id));
  }

  /** A missing unit is reported before faults of the query. */
  async #read<T>(work: () => Promise<T>, checkUnit: () => Promise<void>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await checkUnit();
      throw error;
    }
  }

  /** The member in the query, as a caller, and the child of links. */
  async #asked(
    session: Session,
    parent: KindDef,
    url: string,
  ): Promise<{ readonly member: Caller; readonly child: NamedChild | undefined }> {
    const query = readQuery(url, EXPLANATION_QUERY);
    const single = (name: QueryName): string | undefined => {
      const [text, ...more] = query.get(name) ?? [];
      if (more.length > 0) throw badQuery(name, 'given more than once');
      return text;
    };
    const [id, childKind, childId] = [single('member'), single('child_kind'), single('child_id')];
    if (childKind !== undefined && childId === undefined) throw badQuery('child_id', 'wants the id of a unit');
    if (childId !== undefined && childKind === undefined) throw badQuery('child_kind', 'wants the id of a kind');
    const member = id === undefined ? ANONYMOUS : await namedMember(session, id, badMember);
    if (childKind === undefined || childId === undefined) return { member, child: undefined };
    return { member, child: await this.#child(session, parent, { kindId: childKind, id: childId }) };
  }

  /** @throws KindError 401, 403, 404 if there is no such unit, or it cannot be linked with the parent */
  async #child(
    session: Session,
    parent: KindDef,
    { kindId, id }: { readonly kindId: string; readonly id: string },
  ): Promise<NamedChild> {
    const { kind } = authorizeKind(session.model, kindId, 'read', session.caller);
    const unlinked = [parent, kind].find((each) => !isLinkable(each));
    if (unlinked) throw notLinked(unlinked);
    this.stores.of(kind).checkState(kind, session, 'get');
    await this.#checkExists(session, kind, id);
    return { kind, id };
  }

  /** Undefined if no link type has its own access. */
  async #links(
    session: Session,
    parent: Parent,
    child: NamedChild | undefined,
    member: Caller,
  ): Promise<Explained | undefined> {
    const checks = linkChecks(parent.kind, child?.kind, member, session.model);
    if (checks.length === 0) return undefined;
    const readable = parent.isReadable && (!child || (await this.#mayRead(session, child, member)));
    const explained = new Map<string, Map<string, LinkExplanation>>();
    for (const check of checks) {
      const answers =
        child && check.predicates.length > 0
          ? await evaluateLink(session, { parent: endOf(parent), child: endOf(child) }, check.predicates)
          : undefined;
      const ofType = explained.get(check.linkId) ?? new Map<string, LinkExplanation>();
      explained.set(check.linkId, ofType.set(check.operation, explainLink(check, member, answers, readable)));
    }
    return Object.fromEntries([...explained].map(([id, ofType]) => [id, Object.fromEntries(ofType)]));
  }

  async #mayRead(session: Session, { kind, id }: NamedChild, member: Caller): Promise<boolean> {
    const grant = grantOf(kind, 'read', member, session.model);
    if (!grant?.predicate) return grant !== undefined;
    const [holds] = (await this.stores.of(kind).reads.evaluate(session, kind, id, [grant.predicate])) ?? [];
    return holds === true;
  }

  async #checkExists(session: Session, kind: KindDef, unitId: string): Promise<void> {
    if (!(await this.stores.of(kind).reads.evaluate(session, kind, unitId, []))) throw unknownUnit(kind, unitId);
  }
}

function badMember(text: string) {
  return badQuery('member', text);
}

function badQuery(name: QueryName, text: string) {
  return refusal('query.bad_value', `${name}: ${text}`, { parameter: name });
}

function endOf({ kind, id }: NamedChild) {
  return { kind, key: requireKey(kind, id) };
}

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
