/** The sources of remote kinds, which modules declare as `remote`. Each call of a source has a time limit. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Context } from '../kit/context.js';
import type { KindDef } from '../model/model.js';
import { getOrInsert } from '../shared/maps.js';
import type { KindError } from '../shared/errors.js';
import type { Project } from '../tenancy/project.js';
import { RemoteSourceRunner, type RemoteSource, type RemoteSources } from '../unit/remote/remote-sources.js';
import type { UnitOperation } from '../unit/store/unit-store.js';
import type { Session } from '../catalog/session/session.js';
import { sourceUnavailable } from '../unit/remote/remote-answer.js';
import { Capacity } from './run/capacity.js';
import { REMOTE_MEMBERS } from './declare/check-declaration.js';
import type { ReadyModule } from './declare/definition.js';
import { brokenModule } from './load/deployment.js';
import { InnerCalls } from './run/inner-calls.js';
import { FunctionRegistry } from './load/module-registry.js';
import { ErrorRedaction } from './run/error-redaction.js';

type SourceCall = (...args: readonly unknown[]) => unknown;

@Injectable()
export class ModuleSources implements RemoteSources, OnModuleInit {
  /** Cached as long as the module exists. */
  readonly #sourcesByModule = new WeakMap<ReadyModule, RemoteSource>();

  constructor(
    private readonly remotes: RemoteSourceRunner,
    private readonly registry: FunctionRegistry,
    private readonly calls: InnerCalls,
    private readonly capacity: Capacity,
    private readonly uncaught: ErrorRedaction,
  ) {}

  onModuleInit(): void {
    this.remotes.register(this);
  }

  find({ id }: KindDef, session: Pick<Session, 'project' | 'deployment'>): RemoteSource | KindError | undefined {
    const loaded = this.registry.usedBy(session).find(session.project.id, id);
    if (loaded?.state === 'broken') return brokenModule();
    const module = loaded?.module;
    if (!module?.remote) return undefined;
    return getOrInsert(this.#sourcesByModule, module, () => this.#sourceOf(module));
  }

  hold<T>({ id }: Project, work: () => Promise<T>): Promise<T> {
    return this.capacity.sources.run(id, work);
  }

  #sourceOf(module: ReadyModule): RemoteSource {
    const can = new Set(REMOTE_MEMBERS.filter((name) => module.remote?.[name] !== undefined));
    return { can, call: (operation, args, session) => this.#call(module, operation, args, session) };
  }

  async #call(
    module: ReadyModule,
    operation: UnitOperation,
    args: readonly unknown[],
    session: Session,
  ): Promise<unknown> {
    const { kind, file, remote } = module;
    const code = { project: session.project.id, file, name: `remote.${operation}` };
    const handler = (context: Context) =>
      (remote?.[operation] as SourceCall | undefined)?.call(remote, ...args, context);
    try {
      return await this.calls.inside(session, code, handler, {}, { name: code.name });
    } catch (error) {
      throw this.uncaught.redact(error, { module, name: code.name, session }, (cause, at) =>
        sourceUnavailable({ id: kind }, at === '' ? cause : new Error(`${sourceText(cause)}${at}`, { cause })),
      );
    }
  }
}

/** The text for the log, with the `code` that network errors have. */
function sourceText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? `${cause.code}: ${cause.message}` : cause.message;
}
