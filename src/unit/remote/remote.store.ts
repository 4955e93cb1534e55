/** The store of remote kinds, whose units come from a source. */
import { Injectable } from '@nestjs/common';
import { checkActive } from '../../access/access.js';
import { UNIT_QUERY } from '../../http/route/query-names.js';
import type { KindDef } from '../../model/model.js';
import { refusal, type KindError } from '../../shared/errors.js';
import type { Project } from '../../tenancy/project.js';
import type { Session } from '../../catalog/session/session.js';
import type { UnitOperation, UnitStore } from '../store/unit-store.js';
import { RemoteReader } from './remote.reader.js';
import { RemoteSourceRunner } from './remote-sources.js';
import { RemoteWriter } from './remote.writer.js';

/** A source cannot guarantee that all units are written or none. */
function onlyOneByOne({ id }: KindDef): KindError {
  return refusal('kind.not_allowed_here', `Units of the remote kind '${id}' are written one by one`);
}

@Injectable()
export class RemoteStore implements UnitStore {
  readonly queryNames = UNIT_QUERY.remote;

  constructor(
    private readonly remotes: RemoteSourceRunner,
    private readonly reader: RemoteReader,
    private readonly writer: RemoteWriter,
  ) {}

  checkState(kind: KindDef, scope: Pick<Session, 'project' | 'deployment'>, operation: UnitOperation): void {
    checkActive(kind);
    this.remotes.open(kind, scope, operation);
  }

  lacks(kind: KindDef, project: Project, operation: UnitOperation): boolean {
    return this.remotes.lacks(kind, project, operation);
  }

  readonly list: UnitStore['list'] = (...args) => this.reader.list(...args);
  readonly aggregate: UnitStore['aggregate'] = (...args) => this.reader.aggregate(...args);
  readonly get: UnitStore['get'] = (...args) => this.reader.get(...args);
  readonly getBy: UnitStore['getBy'] = (...args) => this.reader.getBy(...args);
  readonly find: UnitStore['find'] = (...args) => this.reader.find(...args);
  /** A source has no locks that end with the transaction. */
  readonly lock: UnitStore['lock'] = (_, { kind }) =>
    Promise.reject(refusal('kind.not_allowed_here', `Units of the remote kind '${kind.id}' cannot be locked`));
  readonly evaluate: UnitStore['evaluate'] = (...args) => this.reader.evaluate(...args);

  readonly isolation: UnitStore['isolation'] = () => this.writer.isolation();
  readonly insert: UnitStore['insert'] = (...args) => this.writer.insert(...args);
  readonly update: UnitStore['update'] = (...args) => this.writer.update(...args);
  readonly remove: UnitStore['remove'] = (...args) => this.writer.remove(...args);
  readonly upsert: UnitStore['upsert'] = (_, kind) => Promise.reject(onlyOneByOne(kind));
  readonly lookUp: UnitStore['lookUp'] = (_, kind) => Promise.reject(onlyOneByOne(kind));
  readonly updateAll: UnitStore['updateAll'] = (_, kind) => Promise.reject(onlyOneByOne(kind));
  readonly removeAll: UnitStore['removeAll'] = (_, kind) => Promise.reject(onlyOneByOne(kind));
}
