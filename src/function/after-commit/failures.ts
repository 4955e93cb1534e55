/** What `after_commit` has failed to do for good: it is listed, tried again, or discarded. */
import { Injectable } from '@nestjs/common';
import type { Session } from '../../catalog/session/session.js';
import { Followers } from '../../changes/follow/followers.js';
import { refusal, type KindError } from '../../shared/errors.js';
import { isUuid } from '../../shared/identifiers.js';
import {
  deleteFailureStatement,
  listFailuresStatement,
  retryFailureStatement,
  type FailurePage,
} from '../../sql/changes/failure.sql.js';

@Injectable()
export class Failures {
  constructor(private readonly followers: Followers) {}

  async list({ project, executor }: Session, page: FailurePage): Promise<{ count: number; items: string }> {
    const [row] = await executor.run<{ count: number; items: string }>(listFailuresStatement(project.schema, page));
    return row ?? { count: 0, items: '[]' };
  }

  /** Answers the failure as JSON. @throws KindError 404, 409 */
  async retry({ project, executor }: Session, id: string): Promise<string> {
    if (!isUuid(id)) throw unknownFailure();
    if (project.settings.background === false) {
      throw refusal('project.background', 'Nothing runs by itself in this project: its setting background is off');
    }
    const [row] = await executor.run<{ item: string; kept: boolean }>(retryFailureStatement(project.schema, id));
    if (!row) throw unknownFailure();
    if (!row.kept) throw refusal('changes.gone', 'The change of this failure is no longer kept');
    await this.followers.begin(project.id);
    return row.item;
  }

  /** @throws KindError 404 */
  async discard({ project, executor }: Session, id: string): Promise<void> {
    const gone = isUuid(id) ? await executor.run(deleteFailureStatement(project.schema, id)) : [];
    if (gone.length === 0) throw unknownFailure();
  }
}

function unknownFailure(): KindError {
  return refusal('function.no_failure', 'No failure of that id is kept');
}
