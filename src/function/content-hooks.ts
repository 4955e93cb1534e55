/**
 * Hooks of files that get a new content: a stream of the object that is stored by then. They run before the transaction
 * of the write, so that a slow one holds neither a connection nor a lock, and what they return waits with the content.
 * Where the write is a part of a larger transaction, they run in that.
 */
import { Inject, Injectable } from '@nestjs/common';
import { usedBy } from '../catalog/session/executors.js';
import { type Config, CONFIG } from '../config/config.js';
import { idleTimeoutFor } from '../database/connection/session-settings.js';
import { Database } from '../database/database.js';
import { FileBehavior } from '../file/file.behavior.js';
import { Objects } from '../file/objects.js';
import type { StoredContent } from '../file/stored-content.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { copyJson } from '../shared/large-json.js';
import { andThen, type MaybePromise, runYielding } from '../shared/work-in-pieces.js';
import type { PendingWrite, WriteAhead } from '../unit/draft/behavior.js';
import { type Draft, shownValues } from '../unit/draft/draft.js';
import { SessionUnits } from '../unit/session-units.js';
import type { ReadyModule } from './declare/definition.js';
import { Capacity } from './run/capacity.js';
import { AUTHOR, InnerCalls } from './run/inner-calls.js';
import { streamOf } from './run/open-contents.js';

interface ContentHook {
  readonly module: ReadyModule;
  readonly name: 'before_create' | 'before_update';
}

type Written = Pick<PendingWrite, 'kind' | 'session' | 'id'>;

@Injectable()
export class ContentHooks {
  constructor(
    private readonly calls: InnerCalls,
    private readonly capacity: Capacity,
    private readonly database: Database,
    private readonly files: FileBehavior,
    private readonly objects: Objects,
    private readonly units: SessionUnits,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** What a hook returns, in a transaction of its own, which begins with the first statement of the hook. */
  async ahead(
    hook: ContentHook,
    draft: Draft,
    { kind, session, id }: WriteAhead,
    content: StoredContent,
  ): Promise<unknown> {
    const timeout = this.config.fileHookTimeout;
    const release = await this.capacity.contents.acquire(session.project.id, timeout);
    try {
      const options = { ...usedBy(session), lazy: true, long: true, timeout, idleTimeout: idleTimeoutFor(timeout) };
      return await this.database.transaction(async (executor) => {
        const unit = id === undefined ? undefined : await this.units.get({ ...session, caller: AUTHOR }, kind.id, id);
        const write = { kind, session: { ...session, executor } };
        return this.#run(hook, draft, write, { content, timeout, more: { ...(unit && { unit }) } });
      }, options);
    } finally {
      release();
    }
  }

  /** What a hook returns for a draft that is written now. What was said of its content before is not asked again. */
  async changes(hook: ContentHook, draft: Draft, write: Written, more: object): Promise<unknown> {
    const content = this.files.contentOf(draft, write.kind);
    return content?.judged ? content.judged.changes : this.#run(hook, draft, write, { content, more });
  }

  /** Runs a hook, with the new content if there is one. */
  async #run(
    { module, name }: ContentHook,
    draft: Draft,
    write: Written,
    {
      content,
      more,
      timeout,
    }: { readonly content: StoredContent | undefined; readonly more: object; readonly timeout?: number },
  ): Promise<unknown> {
    const values = { ...(await givenValues(draft, write)), ...(content && foundIn(content)) };
    const stream = content && streamOf(() => this.objects.open(content.key));
    try {
      const given = { ...more, values, ...(stream && { content: stream }) };
      return await this.calls.run(module, name, write.session, given, timeout);
    } finally {
      stream?.destroy();
    }
  }
}

/** A copy of the values for a hook, which may change it: only what the hook returns is written. */
export function givenValues(draft: Draft, { kind, session }: Written): MaybePromise<Record<string, unknown>> {
  const shown = shownValues(draft, kind);
  for (const id of Object.keys(shown)) if (kind.fields.get(id)?.withoutHooks) delete shown[id];
  return andThen(
    runYielding(copyJson(shown), new EventLoopYield(session.project.schema)),
    (copied) => copied as Record<string, unknown>,
  );
}

/** What was found in a content, under the names that it has in the unit. */
function foundIn({ facts: { mediaType, ...found } }: StoredContent) {
  return { ...found, media_type: mediaType };
}
