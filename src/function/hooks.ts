/**
 * Runs hooks as behaviors of their kinds, for every write of a unit. If a module is broken, writes of its kind are
 * refused, because its hooks could not run.
 */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { readableFields, writableFields } from '../access/masks.js';
import { targetKindTextFor } from '../access/reference-access.js';
import type { KindDef } from '../model/model.js';
import { shownValue } from '../model/field.js';
import { getOrInsert } from '../shared/maps.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { runYielding } from '../shared/work-in-pieces.js';
import { isPlainObject, typeName } from '../shared/json.js';
import type { Project } from '../tenancy/project.js';
import {
  Behaviors,
  type Behavior,
  type BehaviorSource,
  type HookedLink,
  type NewLink,
  type PendingWrite,
  type UnitEdit,
  type WriteAhead,
} from '../unit/draft/behavior.js';
import {
  type Body,
  bodyOf,
  expressionsOf,
  keyOf,
  withoutValuesOf,
  withValuesOf,
  type Draft,
} from '../unit/draft/draft.js';
import { draftUpdate, withoutNumbers } from '../unit/draft/draft-reader.js';
import { originalCallerOf, transactionOf, type DeployedFunctions, type Session } from '../catalog/session/session.js';
import type { UnitObject } from '../unit/hidden-values.js';
import { SessionUnits } from '../unit/session-units.js';
import type { ReadyModule, HookName } from './declare/definition.js';
import { Deployment, brokenModule } from './load/deployment.js';
import { ContentHooks, givenValues } from './content-hooks.js';
import { ContentsAhead } from './contents-ahead.js';
import { AUTHOR, InnerCalls } from './run/inner-calls.js';
import { FunctionRegistry } from './load/module-registry.js';

const refuse = (): never => {
  throw brokenModule();
};

const BROKEN: Behavior = {
  ready: refuse,
  prepare: refuse,
  beforeDelete: () => Promise.reject(brokenModule()),
  beforeLink: () => Promise.reject(brokenModule()),
  beforeUnlink: () => Promise.reject(brokenModule()),
};

@Injectable()
export class HookBehaviors implements BehaviorSource, OnModuleInit {
  /** Cached as long as the module exists. */
  readonly #behaviorsByModule = new WeakMap<ReadyModule, Behavior>();
  /** The same for kinds whose units have contents. */
  readonly #contentBehaviors = new WeakMap<ReadyModule, Behavior>();

  constructor(
    private readonly behaviors: Behaviors,
    private readonly registry: FunctionRegistry,
    private readonly calls: InnerCalls,
    private readonly units: SessionUnits,
    private readonly contents: ContentHooks,
    private readonly aheadOfWrites: ContentsAhead,
  ) {}

  onModuleInit(): void {
    this.behaviors.registerSource(this);
  }

  get deployment(): Deployment {
    return this.registry.current;
  }

  of(kind: KindDef, project: Project, deployment: DeployedFunctions): Behavior | undefined {
    if (kind.builtIn || !(deployment instanceof Deployment)) return undefined;
    const loaded = deployment.find(project.id, kind.id);
    if (!loaded || (loaded.state === 'ready' && !runsWithin(loaded.module))) return undefined;
    if (loaded.state !== 'ready') return BROKEN;
    return kind.traits.contents ? this.#contentBehaviorOf(loaded.module) : this.#behaviorOf(loaded.module);
  }

  #behaviorOf(module: ReadyModule): Behavior {
    return getOrInsert(this.#behaviorsByModule, module, () => this.#makeBehavior(module));
  }

  #contentBehaviorOf(module: ReadyModule): Behavior {
    const { hooks } = module;
    return getOrInsert(this.#contentBehaviors, module, () => ({
      ...this.#behaviorOf(module),
      ...((hooks.has('before_create') || hooks.has('before_update')) && {
        ahead: (body: Body, write: WriteAhead) => this.aheadOfWrites.look(module, body, write),
      }),
    }));
  }

  /** Has only the methods that the hooks of the module need, because the engine checks which methods a behavior has. */
  #makeBehavior(module: ReadyModule): Behavior {
    const has = (...names: HookName[]) => names.some((name) => module.hooks.has(name));
    const before = new WeakMap<Draft, UnitObject>();
    /** Units being deleted, by runs: the two deletion hooks of a remote kind may be in different transactions. */
    const deletedUnits = new WeakMap<object, Map<string, UnitObject>>();
    const run = (name: HookName, session: Session, given: object) => this.calls.run(module, name, session, given);
    const onLink = (name: HookName) => async (link: HookedLink, session: Session) =>
      void (await run(name, session, structuredClone(link)));
    const changed = (draft: Draft, write: PendingWrite, changes: unknown) =>
      this.#changed(draft, write, changes, module.file);
    const stored = (kind: KindDef, id: string, session: Session) =>
      this.units.get({ ...session, caller: AUTHOR }, kind.id, id);
    /** Lets a hook change a draft. */
    const ask = async (
      name: 'before_create' | 'before_update',
      given: Draft,
      write: PendingWrite,
      more: object = {},
    ) => {
      return changed(given, write, await this.contents.changes({ module, name }, given, write, more));
    };
    const manyEdits = this.#manyEdits(module, before);
    const many = has('before_update_many', 'after_update_many');
    return {
      ...(has('before_create') && {
        beforeCreate: (draft: Draft, write: PendingWrite) => ask('before_create', draft, write),
      }),
      ...(many && {
        beforeUpdate: async (draft: Draft, write: PendingWrite) => {
          const [edited = draft] = await manyEdits.before(
            [{ id: write.id ?? '', draft, index: write.index ?? 0 }],
            write,
          );
          return edited;
        },
      }),
      ...(!has('before_update', 'after_update') && { manyEdits: many ? manyEdits : {} }),
      ...(has('before_update', 'after_update') && {
        beforeUpdate: async (draft: Draft, write: PendingWrite) => {
          const { kind, session, id = '' } = write;
          const unit = await stored(kind, id, session);
          const edited = copyOf(await ask('before_update', draft, write, { unit }));
          before.set(edited, unit);
          return edited;
        },
      }),
      ...(has('after_create', 'after_update', 'after_update_many') && {
        afterWrite: async (kind: KindDef, id: string, draft: Draft, session: Session) => {
          const former = before.get(draft);
          const name = former || keyOf(draft, kind) === '' ? 'after_update' : 'after_create';
          if (former && has('after_update_many')) return manyEdits.after([{ id, draft, index: 0 }], kind, session);
          if (!has(name)) return;
          const unit = await stored(kind, id, session);
          await run(name, session, { unit, before: former, values: storedValues(draft, kind, unit) });
        },
      }),
      ...(has('before_delete', 'after_delete') && {
        beforeDelete: async (kind: KindDef, id: string, session: Session) => {
          const unit = await stored(kind, id, session);
          if (has('after_delete')) {
            const { runs } = transactionOf(session);
            getOrInsert(deletedUnits, runs, () => new Map<string, UnitObject>()).set(id, unit);
          }
          await run('before_delete', session, { unit });
        },
        afterDelete: async (_: KindDef, id: string, session: Session) => {
          const { runs } = transactionOf(session);
          const unit = deletedUnits.get(runs)?.get(id);
          deletedUnits.get(runs)?.delete(id);
          if (unit) await run('after_delete', session, { unit });
        },
      }),
      ...(has('before_link') && {
        beforeLink: async (draft: Draft, link: NewLink, write: PendingWrite) => {
          const values = await givenValues(draft, write);
          return changed(draft, write, await run('before_link', write.session, { ...structuredClone(link), values }));
        },
      }),
      ...(has('after_link') && { afterLink: onLink('after_link') }),
      ...(has('before_unlink') && { beforeUnlink: onLink('before_unlink') }),
      ...(has('after_unlink') && { afterUnlink: onLink('after_unlink') }),
    };
  }

  /** The hooks of several edits, and of one in their place. @param before the units before their edits, by draft */
  #manyEdits(module: ReadyModule, before: WeakMap<Draft, UnitObject>) {
    const stored = (kind: KindDef, edits: readonly UnitEdit[], session: Session) =>
      this.units.getAll(
        { ...session, caller: AUTHOR },
        kind.id,
        edits.map(({ id }) => id),
      );
    return {
      before: async (edits: readonly UnitEdit[], write: PendingWrite): Promise<readonly Draft[]> => {
        const { kind, session } = write;
        const units = await stored(kind, edits, session);
        // The statement refuses the edit of a unit that is not there.
        if (edits.some(({ id }) => !units.has(id))) return edits.map(({ draft }) => draft);
        const yielder = new EventLoopYield(session.project.schema);
        const changes: object[] = [];
        for (const { id, draft } of edits) {
          if (yielder.due) await yielder.pause();
          changes.push({ unit: units.get(id), values: await givenValues(draft, write) });
        }
        const answered = await this.calls.run(module, 'before_update_many', session, { changes });
        const changed = changesOfEach(answered, edits.length, module.file);
        const drafts: Draft[] = [];
        for (const [at, { id, draft, index }] of edits.entries()) {
          if (yielder.due) await yielder.pause();
          const ofEdit = write.id === undefined ? { ...write, id, index } : write;
          const own = await this.#changed(draft, ofEdit, changed[at], module.file);
          const edited = copyOf(own);
          before.set(edited, units.get(id) as UnitObject);
          drafts.push(edited);
        }
        return drafts;
      },
      after: async (edits: readonly UnitEdit[], kind: KindDef, session: Session): Promise<void> => {
        if (!module.hooks.has('after_update_many')) return;
        const units = await stored(kind, edits, session);
        const yielder = new EventLoopYield(session.project.schema);
        const changes: object[] = [];
        for (const { id, draft } of edits) {
          if (yielder.due) await yielder.pause();
          const unit = units.get(id);
          if (unit) changes.push({ unit, before: before.get(draft), values: storedValues(draft, kind, unit) });
        }
        await this.calls.run(module, 'after_update_many', session, { changes });
      },
    };
  }

  /** Validates what a hook returned like a body and merges it into the draft. Undefined values are removed. */
  async #changed(draft: Draft, write: PendingWrite, changes: unknown, file: string): Promise<Draft> {
    if (changes === undefined || changes === null) return draft;
    if (!isPlainObject(changes))
      throw new Error(
        `a before_ hook of ${file} must return an object of values, or nothing; got ${typeName(changes)}`,
      );
    const { kind, session, faults, patterns, defaults, index, id } = write;
    const entries = Object.entries(changes);
    const dropped = entries.flatMap(([id, value]) => (value === undefined ? (kind.fields.get(id) ?? []) : []));
    const left = withoutValuesOf(
      draft,
      dropped.filter((field) => field !== kind.keyField && !field.withoutHooks && !field.system && !field.def.sequence),
    );
    const masks = {
      writable: new Map([...writableFields(kind, AUTHOR, session.model)].filter(([, field]) => !field.withoutHooks)),
      readable: readableFields(kind, AUTHOR, session.model),
    };
    const given = bodyOf(Object.fromEntries(entries.filter(([, value]) => value !== undefined)));
    const body = id === undefined ? withoutNumbers(given, { kind, ...masks }) : given;
    const ofTarget = targetKindTextFor(originalCallerOf(session), session.model);
    const options = { kind, ...masks, faults, patterns, defaults, ofTarget };
    const yielder = new EventLoopYield(session.project.schema);
    return withValuesOf(left, await runYielding(draftUpdate(body, options, { index, id }), yielder));
  }
}

/** Whether it has hooks that run within the transaction of a write. */
function runsWithin({ hooks }: ReadyModule): boolean {
  return hooks.size > (hooks.has('after_commit') ? 1 : 0);
}

/** @throws Error unless a hook of several edits returned nothing, or a list with as many members */
function changesOfEach(answered: unknown, count: number, file: string): readonly unknown[] {
  if (answered === undefined || answered === null) return [];
  if (Array.isArray(answered) && answered.length === count) return answered;
  const got = Array.isArray(answered) ? `one of ${answered.length}` : typeName(answered);
  throw new Error(`before_update_many of ${file} must return a list of ${count}, or nothing; got ${got}`);
}

/** A draft of its own, by which the unit before the edit is found after it. */
function copyOf({ row, written, values, expressions }: Draft): Draft {
  return { row, written, values, expressions };
}

/** The values of a draft as they are stored, with run-time ones, which are stored nowhere. */
function storedValues(draft: Draft, { fields, keyField }: KindDef, unit: UnitObject): Record<string, unknown> {
  const written = [...draft.values.keys(), ...expressionsOf(draft).map(({ field }) => field.id)];
  const found = [...new Set(written)].flatMap((id): [string, unknown][] => {
    const field = fields.get(id);
    if (!field || field === keyField || field.withoutHooks) return [];
    return [[id, field.def.runTime ? shownValue(field, draft.values.get(id) ?? null) : unit[id]]];
  });
  return Object.fromEntries(found);
}
