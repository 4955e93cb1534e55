/** Members that sign up by themselves. They need the right `signup` of their kind, not `create`. */
import { Injectable } from '@nestjs/common';
import { checkHasTable, grantOf } from '../access/access.js';
import { usedBy } from '../catalog/session/executors.js';
import { withOrigin } from '../catalog/session/session.js';
import { Database, type Transaction } from '../database/database.js';
import { isMemberKind, type Model } from '../model/model.js';
import { type Faults, refusal } from '../shared/errors.js';
import { shortened } from '../shared/texts.js';
import { ANONYMOUS, SYSTEM } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { Behaviors } from '../unit/draft/behavior.js';
import { UnitStores } from '../unit/unit-stores.js';

interface NewMember {
  readonly kindId: string;
  /** Its names and parameters. */
  readonly body: ReadonlyMap<string, unknown>;
  /** Gets what is wrong with the body. */
  readonly faults?: Faults;
  /** Set if all of it is undone at its end. */
  readonly dry?: true | undefined;
}

@Injectable()
export class NewMembers {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly database: Database,
    private readonly stores: UnitStores,
  ) {}

  /**
   * Creates a member without a password, and does `work` in the same transaction. @throws KindError 400, 403, 404, 409,
   * and errors of `work`
   */
  create<T>(
    project: Project,
    model: Model,
    { kindId, body, faults, dry }: NewMember,
    work: (tx: Transaction, memberId: string) => Promise<T>,
  ): Promise<T> {
    const { kind, access } = authorizeSignUp(model, kindId);
    return this.database.transaction(
      async (tx) => {
        const scope = { project, caller: SYSTEM, originalCaller: ANONYMOUS, model, executor: tx };
        const session = withOrigin({ ...scope, ...(dry && { dry }), ...this.behaviors.deployment }, 'signup');
        const options = { writer: ANONYMOUS, access, ...(faults && { faults }) };
        const rows = await this.stores.of(kind).creates.create(session, kind, [body], options);
        return work(tx, insertedId(rows));
      },
      { ...usedBy({ project, caller: ANONYMOUS }), ...(dry && { undo: true }) },
    );
  }
}

/**
 * The member kind of a sign-up. Other kinds are 404 and a closed sign-up is 403, never 401: a token would not help.
 */
export function authorizeSignUp(model: Model, kindId: string) {
  const kind = model.kinds.get(kindId);
  if (!kind || !isMemberKind(kind)) throw refusal('kind.unknown', `No member kind '${shortened(kindId)}'`);
  const grant = grantOf(kind, 'signup', ANONYMOUS, model);
  if (!grant) throw refusal('access.denied', `Sign-up to '${kind.id}' is closed`);
  checkHasTable(kind);
  return { kind, access: grant.predicate };
}

/** The id of the unit in the only row that an insert returned. @throws Error if there is none */
export function insertedId([row]: readonly { readonly body: string | null }[]): string {
  if (!row?.body) throw new Error('the insert returned no unit');
  return (JSON.parse(row.body) as { id: string }).id;
}
