/**
 * Behaviors: code that runs when units of certain kinds are written, such as changing a table after a definition,
 * storing credentials of members, and hooks. The engine itself has no code for particular kinds.
 */
import { Injectable } from '@nestjs/common';
import { getOrInsert } from '../../shared/maps.js';
import type { Faults } from '../../shared/errors.js';
import type { Ending } from '../../shared/ending.js';
import type { Json } from '../../shared/json.js';
import type { MaybePromise } from '../../shared/work-in-pieces.js';
import { isLinkable, type KindDef, type Model } from '../../model/model.js';
import type { Predicate } from '../../model/predicate/predicate.js';
import type { PatternChecks } from '../../model/check/pattern-checks.js';
import type { DefaultBytes } from './default-bytes.js';
import { keyOf, type Body, type Draft } from './draft.js';
import { withPosition } from './refusal-position.js';
import type { LocatedDraft } from './references.js';
import type { Project } from '../../tenancy/project.js';
import { type DeployedFunctions, Deployments, type Session } from '../../catalog/session/session.js';

/** A write in progress. `id` is set for edits. */
export interface PendingWrite {
  readonly kind: KindDef;
  readonly session: Session;
  readonly faults: Faults;
  /** Collects texts to match against patterns, which happens after each step of the write. */
  readonly patterns: PatternChecks;
  /** Gives the defaults of new units. */
  readonly defaults: DefaultBytes;
  readonly id?: string;
  /** The position of the object in a bulk body. */
  readonly index?: number;
}

/** A write that has a transaction of its own, before that begins. */
export interface WriteAhead {
  readonly kind: KindDef;
  readonly session: Session;
  /** The unit of an edit. */
  readonly id?: string;
  /** Which units the caller may write. */
  readonly conditions: { readonly access?: Predicate | undefined; readonly tags?: readonly string[] | undefined };
  /** The whole write, which may be a batch. */
  readonly write: Ending;
}

/** How a unit was written. */
export type WrittenBy = 'create' | 'edit';

/** A link that is to be created: its units, of which `parent` has the behaviors, and its type. */
export interface NewLink {
  readonly parent: { readonly kind_id: string; readonly id: string };
  readonly child: { readonly kind_id: string; readonly id: string };
  readonly link_id: string;
}

/** A stored link with all its values. */
export interface HookedLink extends NewLink {
  readonly values: Readonly<Record<string, Json>>;
}

/** One of several edits. */
export interface UnitEdit {
  readonly id: string;
  readonly draft: Draft;
  /** The position in the list of edits. */
  readonly index: number;
}

/** What a behavior does with several edits at once. */
interface ManyEdits {
  /** As `beforeUpdate`; returns the drafts in the same order. The units are locked. */
  readonly before?: (edits: readonly UnitEdit[], write: PendingWrite) => Promise<readonly Draft[]>;
  /** As `afterWrite`. */
  readonly after?: (edits: readonly UnitEdit[], kind: KindDef, session: Session) => Promise<void>;
}

/** A unit that got another id, and the session with what is true since. */
export interface Renamed {
  readonly id: string;
  readonly session: Session;
}

export interface Behavior {
  /** The units are definitions, written in a definition change. */
  readonly definition?: boolean;
  /** An edit returns the edited fields, the id and the times, instead of the whole unit. */
  readonly answersEdited?: boolean;
  /**
   * Does what may take long before the transaction of a write: a part of a larger one is written without it. Returns what
   * takes the place of values of the body.
   */
  ahead?(body: Body, write: WriteAhead): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Gives a unit another id, before all else of an edit. */
  rename?(kind: KindDef, id: string, to: unknown, session: Session): Promise<Renamed>;
  /** Changes the body before it is validated. */
  prepare?(body: Body, write: PendingWrite): Promise<Body> | Body;
  /** Throws where units of the kind cannot be written now. Called after checks of rights and existence, before the body is read. */
  ready?(): void;
  /** Called after validation and `beforeCreate`: adds faults, or values that the system writes. */
  complete?(draft: Draft, write: PendingWrite): Promise<Draft> | Draft;
  /**
   * Changes a validated draft that the access rules allow. It may set the key and required values; defaults are applied
   * after it. Values that it sets are not validated again.
   */
  beforeCreate?(draft: Draft, write: PendingWrite): Promise<Draft>;
  /** The same for an edit, after all checks and after the row was locked. */
  beforeUpdate?(draft: Draft, write: PendingWrite): Promise<Draft>;
  /** Takes the place of `beforeUpdate` and `afterWrite` where several units are edited at once. */
  readonly manyEdits?: ManyEdits;
  /** Called before the unit is deleted; an error prevents that. */
  beforeDelete?(kind: KindDef, id: string, session: Session): Promise<void>;
  /** Called after the unit was deleted. */
  afterDelete?(kind: KindDef, id: string, session: Session): Promise<void>;
  /** Called after the unit was created or edited. */
  afterWrite?(kind: KindDef, id: string, draft: Draft, session: Session, written: WrittenBy): Promise<void>;
  /** Adds to the answer of a create, which is JSON, what is stored nowhere. */
  addToAnswer?(body: string, draft: Draft, kind: KindDef, session: Session): string;
  /** Called before a link from a unit of the kind is created. Changes the draft of its values, like `beforeCreate`. */
  beforeLink?(draft: Draft, link: NewLink, write: PendingWrite): Promise<Draft>;
  /** Called after the link was created. */
  afterLink?(link: HookedLink, session: Session): Promise<void>;
  /** Called before a link from a unit of the kind is deleted, also with one of its units; an error prevents that. */
  beforeUnlink?(link: HookedLink, session: Session): Promise<void>;
  /** Called after the link was deleted. */
  afterUnlink?(link: HookedLink, session: Session): Promise<void>;
}

/** A behavior of the service, for the kinds that it applies to. */
export interface RegisteredBehavior extends Behavior {
  applies(kind: KindDef): boolean;
}

/** Behaviors that depend on the project and can change while the service runs, such as hooks. */
export interface BehaviorSource {
  /** The current set; an operation uses one set to its end. */
  readonly deployment: DeployedFunctions;
  of(kind: KindDef, project: Project, deployment: DeployedFunctions): Behavior | undefined;
}

const ON_EDITS: readonly (keyof Behavior)[] = ['prepare', 'complete', 'beforeUpdate', 'afterWrite'];

function runsOnEdits(behavior: Behavior): boolean {
  return ON_EDITS.some((event) => event in behavior);
}

type OfModel = Pick<Session, 'model' | 'project' | 'deployment'>;

/** Ids of kinds, as they are with a set of functions. */
interface KnownKinds {
  readonly deployment: DeployedFunctions | undefined;
  readonly kinds: readonly string[];
}

/** All behaviors; modules register theirs at startup. */
@Injectable()
export class Behaviors {
  readonly #registered: RegisteredBehavior[] = [];
  #source: BehaviorSource | undefined;
  readonly #byKind = new WeakMap<KindDef, readonly Behavior[]>();
  readonly #unlinking = new WeakMap<Model, KnownKinds>();

  constructor(private readonly deployments: Deployments) {}

  register(behavior: RegisteredBehavior): void {
    this.#registered.push(behavior);
  }

  /** Call it at most once. */
  registerSource(source: BehaviorSource): void {
    this.#source = source;
    this.deployments.use(source);
  }

  /** For the session of a new operation. */
  get deployment(): { readonly deployment?: DeployedFunctions } {
    const { current } = this.deployments;
    return current ? { deployment: current } : {};
  }

  of(kind: KindDef, { project, deployment }: Pick<Session, 'project' | 'deployment'>): readonly Behavior[] {
    const fixed = this.#fixed(kind);
    const own = this.#source?.of(kind, project, deployment ?? this.#source.deployment);
    return own ? [...fixed, own] : fixed;
  }

  /** @throws KindError 503 where units of the kind cannot be written now */
  checkReady(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): void {
    for (const behavior of this.of(kind, session)) behavior.ready?.();
  }

  /** Whether code of the project runs for units of the kind, so that a transaction may take long. */
  haveHooks(kind: KindDef, { project, deployment }: Pick<Session, 'project' | 'deployment'>): boolean {
    const source = this.#source;
    return source?.of(kind, project, deployment ?? source.deployment) !== undefined;
  }

  /** Whether a behavior may add values to new units, so that required parameters are checked only after it. */
  changesCreates(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): boolean {
    return this.of(kind, session).some((behavior) => 'beforeCreate' in behavior);
  }

  /** Whether a behavior may change edits. */
  changesUpdates(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): boolean {
    return this.of(kind, session).some((behavior) => 'beforeUpdate' in behavior);
  }

  /** What behaviors do with several edits at once. */
  manyEdits(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): readonly ManyEdits[] {
    return this.of(kind, session).flatMap(({ manyEdits }) => manyEdits ?? []);
  }

  /** Whether many units have to be edited one by one, because a behavior does not take several edits at once. */
  editsOneByOne(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): boolean {
    return this.of(kind, session).some((behavior) => !behavior.manyEdits && runsOnEdits(behavior));
  }

  /** Whether many units are edited at once, and behaviors get them so. */
  takeManyEdits(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): boolean {
    const taken = this.manyEdits(kind, session).some(({ before, after }) => before ?? after);
    return taken && !this.editsOneByOne(kind, session);
  }

  /** Whether an edit runs behaviors. */
  runsOnEdits(kind: KindDef, session: Pick<Session, 'project' | 'deployment'>): boolean {
    return this.of(kind, session).some(runsOnEdits);
  }

  /** The ids of the kinds that have behaviors for deleted links from their units. Cached by model. */
  unlinkingKinds({ model, project, deployment = this.#source?.deployment }: OfModel): readonly string[] {
    const known = this.#unlinking.get(model);
    if (known && known.deployment === deployment) return known.kinds;
    const of = { project, ...(deployment && { deployment }) };
    const unlinks = (kind: KindDef): boolean =>
      isLinkable(kind) && this.of(kind, of).some((each) => 'beforeUnlink' in each || 'afterUnlink' in each);
    const kinds = [...model.kinds.values()].filter(unlinks).map(({ id }) => id);
    this.#unlinking.set(model, { deployment, kinds });
    return kinds;
  }

  /** Whether the service does something before the transaction of a write. Only there, hooks do too. */
  haveAhead(kind: KindDef): boolean {
    return this.#fixed(kind).some((behavior) => 'ahead' in behavior);
  }

  /** Calls `afterWrite` of the kind's behaviors; `id` is set for edits. */
  afterWrite(session: Session, kind: KindDef, units: readonly LocatedDraft[], id?: string): MaybePromise<void> {
    const behaviors = this.of(kind, session).filter((behavior) => 'afterWrite' in behavior);
    return behaviors.length === 0 ? undefined : this.#callAfterWrite(behaviors, session, kind, units, id);
  }

  async #callAfterWrite(
    behaviors: readonly Behavior[],
    session: Session,
    kind: KindDef,
    units: readonly LocatedDraft[],
    id: string | undefined,
  ): Promise<void> {
    const written = id === undefined ? 'create' : 'edit';
    for (const behavior of behaviors) {
      for (const { draft, ...place } of units) {
        const key = id ?? keyOf(draft, kind);
        await withPosition(place, async () => behavior.afterWrite?.(kind, key, draft, session, written));
      }
    }
  }

  /** The answer of a create with what behaviors add to it. */
  completeAnswer(body: string, draft: Draft, kind: KindDef, session: Session): string {
    return this.of(kind, session).reduce((text, behavior) => {
      return behavior.addToAnswer?.(text, draft, kind, session) ?? text;
    }, body);
  }

  #fixed(kind: KindDef): readonly Behavior[] {
    return getOrInsert(this.#byKind, kind, () => this.#registered.filter((behavior) => behavior.applies(kind)));
  }
}
