/** The hooks `after_commit` of modules, as followers of the changes of their kinds. */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Follower, FollowerSource } from '../../changes/follow/follower.js';
import { Followers } from '../../changes/follow/followers.js';
import { LOGGER } from '../../http/log/logger.js';
import type { KindDef, Model } from '../../model/model.js';
import { LIMITS } from '../../shared/limits.js';
import { AFTER_COMMIT, followerOf } from '../../sql/changes/failure.sql.js';
import type { Project } from '../../tenancy/project.js';
import { FunctionRegistry } from '../load/module-registry.js';
import { CommitRuns, LOST } from './commit-runs.js';

const OPERATIONS = ['create', 'update', 'delete', 'link', 'unlink'];

@Injectable()
export class AfterCommit implements FollowerSource, OnModuleInit {
  readonly type = AFTER_COMMIT;

  constructor(
    private readonly followers: Followers,
    private readonly registry: FunctionRegistry,
    private readonly runs: CommitRuns,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.followers.register(this);
    this.registry.onLoad.push(() => this.followers.refresh());
  }

  expected = (project: string): readonly { readonly id: string; readonly kind: string }[] => {
    return this.registry.current.withHook(project, AFTER_COMMIT).map((kind) => ({ id: followerOf(kind), kind }));
  };

  list(project: Project, { kinds }: Model): readonly Follower[] {
    const { current } = this.registry;
    const since = { ago: performance.now() - current.loadedAt };
    return current.withHook(project.id, AFTER_COMMIT).flatMap((id) => {
      const kind = kinds.get(id);
      return kind?.active && kind.changes !== 'none' && !kind.builtIn ? this.#followerOf(project, kind, since) : [];
    });
  }

  #followerOf(project: Project, { id: kind }: KindDef, since: { readonly ago: number }): Follower {
    return {
      id: followerOf(kind),
      kinds: [kind],
      operations: OPERATIONS,
      since,
      atOnce: LIMITS.commitsOfKind,
      passesOld: true,
      prepare: (tasks) => this.runs.prepare(project, kind, tasks),
      reportOfLost: () => LOST,
      missed: ({ passed, lost }) => {
        const fields = { project: project.id, kind, ...(passed > 0 && { passed }), ...(lost > 0 && { lost }) };
        this.logger.warn(fields, 'after_commit does not get changes that are too old, or no longer kept');
      },
    };
  }
}
