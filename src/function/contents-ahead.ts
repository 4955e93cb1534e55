/**
 * Before the transaction of the write of a file, its hook looks at the stored content, if the body has no faults and the
 * caller may write it so. What is wrong otherwise is found again by the write, which then says it.
 */
import { Injectable } from '@nestjs/common';
import { StoredContent } from '../file/stored-content.js';
import { CONTENT_FIELD } from '../model/built-in/file-fields.js';
import { Faults } from '../shared/errors.js';
import type { WriteAhead } from '../unit/draft/behavior.js';
import { countingDefaults, type DefaultBytes } from '../unit/draft/default-bytes.js';
import { type Body, expressionsOf } from '../unit/draft/draft.js';
import { Drafter } from '../unit/draft/drafter.js';
import { planWritten, withFieldRules } from '../unit/draft/edit-plan.js';
import type { LocatedDraft } from '../unit/draft/references.js';
import { parseKey } from '../unit/store/unit-ids.js';
import { mustBeWritable, writePlan } from '../unit/table/rights.js';
import { BehaviorChanges, whyNotTo } from '../unit/table/write/behavior-changes.js';
import { ContentHooks } from './content-hooks.js';
import type { ReadyModule } from './declare/definition.js';

@Injectable()
export class ContentsAhead {
  constructor(
    private readonly changes: BehaviorChanges,
    private readonly drafter: Drafter,
    private readonly hooks: ContentHooks,
  ) {}

  /** Lets a hook look at a new content. @throws KindError 401, 403, 404, 409, 412, and of the hook */
  async look(module: ReadyModule, body: Body, write: WriteAhead): Promise<undefined> {
    const { kind, session, id } = write;
    const name = id === undefined ? 'before_create' : 'before_update';
    const content = body.get(CONTENT_FIELD);
    if (!(content instanceof StoredContent) || content.judged || !module.hooks.has(name)) return;
    if (id !== undefined) await mustBeWritable(session, kind, id, write.conditions, 'update');
    await countingDefaults(session, async (defaults) => {
      const unit = await this.#draft(body, write, defaults);
      // The results of expressions are known when the unit is locked.
      if (!unit || expressionsOf(unit.draft).length > 0) return;
      await this.#check(body, write, unit, defaults);
      content.judged = { changes: await this.hooks.ahead({ module, name }, unit.draft, write, content) };
    });
  }

  /** Undefined if the body has faults. */
  async #draft(
    body: Body,
    { kind, session, id }: WriteAhead,
    defaults: DefaultBytes,
  ): Promise<LocatedDraft | undefined> {
    const options = { writer: session.caller, faults: new Faults(), defaults, bulk: false };
    const { drafts, faults } = await (id === undefined
      ? this.drafter.creates(session, kind, [body], options)
      : this.drafter.edit(session, kind, id, body, options));
    return faults.any ? undefined : drafts[0];
  }

  /** Whether the caller may write such a unit, by the rules of the kind and of its parameters. @throws KindError 401, 403, 409 */
  async #check(body: Body, write: WriteAhead, unit: LocatedDraft, defaults: DefaultBytes): Promise<void> {
    const { session, kind, id, conditions } = write;
    const { access } = conditions;
    const { draft, rules = [] } = unit;
    const plan = { ...writePlan(session, kind), ...planWritten(session, kind, draft, body) };
    if (id === undefined) return this.changes.checkInput(session, { ...plan, allowed: access }, [unit], defaults);
    const edit = { ...plan, id: parseKey(kind, id), access, allowed: withFieldRules(access, rules), tags: undefined };
    const refused = await whyNotTo(session, edit, draft, { access, rules });
    if (refused) throw refused;
  }
}
