/**
 * What is special about the units of some kinds, bound to a kind or to a group: `kind` creates tables, parameter types
 * alter columns, member kinds guard credentials. The engine knows no kind by name; a new behaviour is one file.
 */
import { Injectable } from '@nestjs/common';
import type { ConnectionShare } from '../../database/database.js';
import type { Faults } from '../../shared/errors.js';
import type { KindDef } from '../../model/model.js';
import type { PatternChecks } from '../../model/check/pattern-checks.js';
import type { DefaultBytes } from './default-bytes.js';
import { keyOf, type Body, type Draft } from './draft.js';
import { withPosition } from './refusal-position.js';
import type { LocatedDraft } from './references.js';
import type { Project } from '../../tenancy/project.js';
import type { Session } from '../session/session.js';

/** A write under way. `id` is that of the unit being edited. */
export interface PendingWrite {
  readonly kind: KindDef;
  readonly session: Session;
  readonly faults: Faults;
  /** Takes what is to be matched against patterns, which is done after each step of the write. */
  readonly patterns: PatternChecks;
  /** Gives the defaults of new units. */
  readonly defaults: DefaultBytes;
  readonly id?: string;
  /** The position of the object in a bulk body. */
  readonly index?: number;
}

export interface Behavior {
  applies(kind: KindDef): boolean;
  /** The units are definitions: they are written in a definition change, and the tables follow. */
  readonly definition?: boolean;
  /** An edit answers the edited fields, the id and the times, instead of the whole unit. */
  readonly answersEdited?: boolean;
  /** The body before it is read. */
  prepare?(body: Body, write: PendingWrite): Promise<Body> | Body;
  /** What keeps units of the kind from being written at present; asked after rights and existence, before the body is read. */
  ready?(): void;
  /** After the body was read, and what `beforeCreate` makes of it: adds faults, or what the system writes. */
  complete?(draft: Draft, write: PendingWrite): Promise<Draft> | Draft;
  /**
   * What is to be created instead of what was given, which was checked, and judged by the rules: it may make the key, and
   * whatever must be there. Defaults come after it. Who changes a draft checks what it puts in.
   */
  beforeCreate?(draft: Draft, write: PendingWrite): Promise<Draft>;
  /** The same of an edit, when everything about it was checked and the unit is held. */
  beforeUpdate?(draft: Draft, write: PendingWrite): Promise<Draft>;
  /** Before the unit goes; what it throws keeps it. */
  beforeDelete?(kind: KindDef, id: string, session: Session): Promise<void>;
  /** After it went. */
  afterDelete?(kind: KindDef, id: string, session: Session): Promise<void>;
  /** After it was made or edited. */
  afterWrite?(kind: KindDef, id: string, draft: Draft, session: Session): Promise<void>;
}

/** Behaviours that depend on the project and change while the service runs. */
export interface BehaviorSource {
  /** What is in place now; a piece of work keeps to it. */
  readonly deployment: object;
  of(kind: KindDef, project: Project, deployment: object): Behavior | undefined;
  /** Of the connections, for transactions in which its behaviours take part: they may hold theirs for long. */
  share(project: Project): ConnectionShare;
}

/** The behaviours of a deployment; modules register theirs when they start. */
@Injectable()
export class Behaviors {
  readonly #all: Behavior[] = [];
  #source: BehaviorSource | undefined;
  readonly #byKind = new WeakMap<KindDef, readonly Behavior[]>();

  register(behavior: Behavior): void {
    this.#all.push(behavior);
  }

  /** At most one. */
  registerSource(source: BehaviorSource): void {
    this.#source = source;
  }

  /** For the session of a piece of work that begins. */
  get deployment(): { readonly deployment?: object } {
    return this.#source ? { deployment: this.#source.deployment } : {};
  }

  of(kind: KindDef, { project, deployment }: Pick<Session, 'project' | 'deployment'>): readonly Behavior[] {
    const fixed = this.#fixed(kind);
    const own = this.#source?.of(kind, project, deployment ?? this.#source.deployment);
    return own ? [...fixed, own] : fixed;
  }

  /** That the transaction of a write takes part in from its beginning; others come to it when a hook runs. */
  share(kind: KindDef, { project, deployment }: Pick<Session, 'project' | 'deployment'>): ConnectionShare | undefined {
    const source = this.#source;
    return source?.of(kind, project, deployment ?? source.deployment) && source.share(project);
  }

  /** Whether one of them makes a part of new units: what is missing in a body is not missed before. */
  changesCreates(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): boolean {
    return this.of(kind, session).some((behavior) => 'beforeCreate' in behavior);
  }

  /** Whether one of them changes what is edited. */
  changesUpdates(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): boolean {
    return this.of(kind, session).some((behavior) => 'beforeUpdate' in behavior);
  }

  /** Tells the behaviors of a kind what was written of it; `id` is that of the unit that was edited. */
  async afterWrite(session: Session, kind: KindDef, units: readonly LocatedDraft[], id?: string): Promise<void> {
    for (const behavior of this.of(kind, session)) {
      if (!behavior.afterWrite) continue;
      for (const { draft, ...place } of units) {
        await withPosition(place, async () => behavior.afterWrite?.(kind, id ?? keyOf(draft, kind), draft, session));
      }
    }
  }

  #fixed(kind: KindDef): readonly Behavior[] {
    const known = this.#byKind.get(kind);
    if (known) return known;
    const found = this.#all.filter((behavior) => behavior.applies(kind));
    this.#byKind.set(kind, found);
    return found;
  }
}
