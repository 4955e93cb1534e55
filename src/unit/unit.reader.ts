/** Reads of units: rights and state first, then the table of the kind, or its source. */
import { Injectable } from '@nestjs/common';
import { grantOf, authorizeKind } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { Answer } from '../http/answer/answer.js';
import { readJson } from '../http/body/json-pieces.js';
import type { KindDef, Model } from '../model/model.js';
import type { Predicate } from '../model/predicate/predicate.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import { unitAnswer } from './table/presentation-version.js';
import type { Readable, Reader, UnitPage } from './table/reader.js';
import { RemoteReader } from './remote/remote.reader.js';
import { Remotes } from './remote/remote-sources.js';
import { executorFor } from './session/caller-executor.js';
import type { Session } from './session/session.js';
import { TableReader } from './table/table.reader.js';

@Injectable()
export class UnitReader {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly tables: TableReader,
    private readonly remotes: Remotes,
    private readonly sources: RemoteReader,
  ) {}

  /** The units of a kind. `url` has the query. */
  list(scope: RequestScope, kindId: string, url: string): Promise<Answer> {
    return this.catalog.withModelOf(scope.project, kindId, (model) => {
      const readable = authorizeKind(model, kindId, 'read', scope.caller);
      const { kind } = readable;
      this.remotes.checkState(kind, scope, 'list');
      const session = this.#session(scope, model);
      return this.remotes.apart(scope.project, model, kind, async () =>
        pageAnswer(await this.listIn(session, readable, url)),
      );
    });
  }

  /** The units of a kind that a definition of the model names, such as the kinds of a group. */
  listWhere(
    scope: RequestScope,
    kindId: string,
    url: string,
    where: (kind: KindDef, model: Model) => Promise<Predicate>,
  ): Promise<Answer> {
    return this.catalog.withModelOf(scope.project, kindId, async (model) => {
      const readable = authorizeKind(model, kindId, 'read', scope.caller);
      const extra = await where(readable.kind, model);
      return pageAnswer(await this.tables.list(this.#session(scope, model), readable, url, extra));
    });
  }

  get(scope: RequestScope, kindId: string, unitId: string, url: string): Promise<Answer> {
    return this.catalog.withModelOf(scope.project, kindId, (model) => {
      const readable = authorizeKind(model, kindId, 'read', scope.caller);
      const { kind } = readable;
      this.remotes.checkState(kind, scope, 'get');
      const session = this.#session(scope, model);
      return this.remotes.apart(scope.project, model, kind, async () => {
        const unit = await this.#of(kind).get(session, readable, unitId, url);
        return unitAnswer(kind, unit, unit.more);
      });
    });
  }

  #session(scope: RequestScope, model: Model): Session {
    const { project, caller } = scope;
    return { project, caller, model, executor: executorFor(this.database, caller) };
  }

  /** A page inside a session, of a kind that was opened. */
  listIn(session: Session, readable: Readable, url: string): Promise<UnitPage> {
    return this.#of(readable.kind).list(session, readable, url);
  }

  /** One unit as an object, inside a session; undefined where its caller may not read it. */
  async find(session: Session, kind: KindDef, unitId: string): Promise<Record<string, unknown> | undefined> {
    const grant = grantOf(kind, 'read', session.caller, session.model);
    const unit = grant && (await this.#of(kind).find(session, { kind, grant }, unitId));
    return unit && ((await readJson(unit.body, session.project.schema)) as Record<string, unknown>);
  }

  readonly judge: Reader['judge'] = (session, kind, ...rest) => this.#of(kind).judge(session, kind, ...rest);

  #of({ remote }: KindDef): Reader {
    return remote ? this.sources : this.tables;
  }
}

function pageAnswer({ count, items, next }: UnitPage): Answer {
  const more = next === undefined ? '' : `,"next":${JSON.stringify(next)}`;
  return new Answer(`{"count":${count},"items":${items}${more}}`);
}
