/**
 * Records writes of members, of what they sign in with, and of identity providers in the audit log; but not what a member
 * changes of itself, nor sign-ups.
 */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IDENTITY_PROVIDER_KIND, OWNED_KINDS } from '../model/built-in-traits.js';
import { isMemberKind, type KindDef } from '../model/model.js';
import type { Json } from '../shared/json.js';
import { AuditLog } from '../tenancy/audit-log.js';
import { Behaviors, type RegisteredBehavior, type WrittenBy } from '../unit/draft/behavior.js';
import type { Draft } from '../unit/draft/draft.js';
import { originalCallerOf, type Session } from '../catalog/session/session.js';

@Injectable()
export class AuditBehavior implements RegisteredBehavior, OnModuleInit {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly log: AuditLog,
  ) {}

  onModuleInit(): void {
    if (this.log.isOn) this.behaviors.register(this);
  }

  applies(kind: KindDef): boolean {
    return isMemberKind(kind) || isWayIn(kind);
  }

  async afterWrite(kind: KindDef, id: string, { values }: Draft, session: Session, written: WrittenBy): Promise<void> {
    const change = written === 'create' ? 'created' : 'changed';
    // A new member has all fields.
    const fields = written === 'create' ? {} : { fields: [...values.keys()] };
    this.#record(kind, id, session, change, isWayIn(kind) ? rightsIn(values) : fields);
  }

  async afterDelete(kind: KindDef, id: string, session: Session): Promise<void> {
    this.#record(kind, id, session, 'deleted');
  }

  #record(
    kind: KindDef,
    id: string,
    session: Session,
    change: 'created' | 'changed' | 'deleted',
    details: Readonly<Record<string, Json>> = {},
  ): void {
    const caller = originalCallerOf(session);
    const isOwn = caller.type === 'member' && caller.id === id && !caller.admin;
    if (caller.type === 'anonymous' || isOwn) return;
    const { project, requestId, executor } = session;
    const of = isWayIn(kind) ? (kind.id as WayInKind) : ('member' as const);
    const entry = { project: project.id, caller, requestId, details: { kind: kind.id, id, ...details } };
    this.log.record({ action: `${of}.${change}`, ...entry }, executor.tx);
  }
}

/** Whose a way in is, how the rights of an API key are narrowed, and whom an identity provider lets in. */
const RIGHTS = [
  ...['member', 'scope', 'expires_at'],
  ...['issuer', 'client_id', 'member_kind', 'signup', 'link', 'trust_email', 'active'],
];

function rightsIn(values: ReadonlyMap<string, Json>): Record<string, Json> {
  const given = RIGHTS.filter((name) => values.has(name));
  return Object.fromEntries(given.map((name) => [name, values.get(name) ?? null]));
}

const WAYS_IN = [...OWNED_KINDS, IDENTITY_PROVIDER_KIND] as const;
type WayInKind = (typeof WAYS_IN)[number];

function isWayIn({ id, builtIn }: KindDef): boolean {
  return builtIn && WAYS_IN.some((each) => each === id);
}
