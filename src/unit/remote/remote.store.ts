/** The store of remote kinds, whose units come from a source. */
import { Injectable } from '@nestjs/common';
import { checkActive } from '../../access/access.js';
import type { Session } from '../../catalog/session/session.js';
import { UNIT_QUERY } from '../../http/route/query-names.js';
import type { KindDef } from '../../model/model.js';
import { refusal } from '../../shared/errors.js';
import type { Project } from '../../tenancy/project.js';
import type { UnitMatchingWrites, UnitOperation, UnitStore, UnitUpserts } from '../store/unit-store.js';
import { RemoteReader } from './remote.reader.js';
import { RemoteSourceRunner } from './remote-sources.js';
import { RemoteWriter } from './remote.writer.js';

/** A source cannot guarantee that all units are written or none. */
function onlyOneByOne(_: Session, { id }: KindDef): Promise<never> {
  return Promise.reject(refusal('kind.not_allowed_here', `Units of the remote kind '${id}' are written one by one`));
}

@Injectable()
export class RemoteStore implements UnitStore {
  readonly queryNames = UNIT_QUERY.remote;
  readonly creates: RemoteWriter;
  readonly updates: RemoteWriter;
  readonly deletions: RemoteWriter;
  readonly matching: UnitMatchingWrites = { updateAll: onlyOneByOne, removeAll: onlyOneByOne };
  readonly upserts: UnitUpserts = { upsert: onlyOneByOne, lookUp: onlyOneByOne };

  constructor(
    readonly reads: RemoteReader,
    writer: RemoteWriter,
    private readonly remotes: RemoteSourceRunner,
  ) {
    this.creates = this.updates = this.deletions = writer;
  }

  checkState(kind: KindDef, scope: Pick<Session, 'project' | 'deployment'>, operation: UnitOperation): void {
    checkActive(kind);
    this.remotes.open(kind, scope, operation);
  }

  lacks(kind: KindDef, project: Project, operation: UnitOperation): boolean {
    return this.remotes.lacks(kind, project, operation);
  }

  /** Hooks and the source have transactions of their own. */
  isolation(): undefined {
    return undefined;
  }
}
