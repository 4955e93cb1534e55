/** The commands that create, change and remove links. Kinds of the model have link types of the system. */
import { Injectable } from '@nestjs/common';
import { authorizeKind } from '../access/access.js';
import { Database } from '../database/database.js';
import { Answer, NULL_ANSWER } from '../http/answer/answer.js';
import { parseBody, type ReceivedBody } from '../http/body/read-body.js';
import { refuseQuery } from '../http/route/parse-list-query.js';
import { CASCADE_QUERY, NO_QUERY } from '../http/route/query-names.js';
import { KIND_KIND, type LinkOperation } from '../model/built-in-traits.js';
import { getBuiltInKind } from '../model/model.js';
import type { Command, Plan } from '../run/command.js';
import { inTransaction } from '../catalog/session/executors.js';
import { refusal } from '../shared/errors.js';
import type { BodyLimit } from '../tenancy/request-bodies.js';
import { optionalBody, type Body } from '../unit/draft/draft.js';
import { LinkHooks } from '../unit/table/links/link-hooks.js';
import type { Session } from '../catalog/session/session.js';
import { unitAnswer } from '../unit/unit-answers.js';
import { checkUnit, presentUnit } from '../unit/table/rights.js';
import { WriteCommands, type FlagQuery } from '../unit/write.commands.js';
import { isSystemLink, authorizeLink, type LinkPath, type PlannedLink, unknownType } from './link.plan.js';
import { LinkWriter } from './link.writer.js';
import { SystemLinks, type SystemLink } from './system-links.js';

/** The parts of an HTTP request that a link needs. */
export interface LinkRequest {
  readonly url: string;
  readonly contentType: string | undefined;
  /** Whether it has a body. */
  readonly body: boolean;
}

type LinkWork = (session: Session, planned: PlannedLink, bytes: ReceivedBody) => Promise<Answer>;

@Injectable()
export class LinkService {
  constructor(
    private readonly systemLinks: SystemLinks,
    private readonly writer: LinkWriter,
    private readonly units: WriteCommands,
    private readonly hooks: LinkHooks,
    private readonly database: Database,
  ) {}

  /**
   * Answers the link record, or for link types of the system the record of the kind. Only link types with parameters use
   * the body.
   */
  create(path: LinkPath, { url, contentType, body }: LinkRequest): Command {
    const create: LinkWork = async (session, planned, bytes) => {
      const record = await this.writer.create(session, planned, async () => {
        refuseQuery(url);
        return newLinkBody(planned, await parseBody(bytes, contentType, session.project.schema));
      });
      return new Answer(record);
    };
    const add = (link: SystemLink): Plan['run'] => {
      return async (session, bytes) => {
        await parseBody(bytes, contentType, session.project.schema);
        const kindId = await link.add(session, path.parent, path.child);
        const kind = getBuiltInKind(session.model, KIND_KIND);
        return unitAnswer(kind, await presentUnit(session, kind, kindId));
      };
    };
    return this.#command(path, 'create', { work: create, hooks: true, ...(body && { body: 'small' }) }, (link) =>
      this.#onModel(path, { url, takes: NO_QUERY }, link, { run: add(link), ...(body && { body: 'small' }) }),
    );
  }

  /** Changes values of a link, and answers its record. */
  update(path: LinkPath, { url, contentType }: LinkRequest): Command {
    const update: LinkWork = async (session, planned, bytes) => {
      const record = await this.writer.update(session, planned, async () => {
        refuseQuery(url);
        return optionalBody((await parseBody(bytes, contentType, session.project.schema)) ?? null);
      });
      return new Answer(record);
    };
    return this.#command(path, 'create', { work: update, hooks: false, body: 'small' }, () => {
      throw refusal('route.method', `Links of '${path.link}' have no values`);
    });
  }

  remove(path: LinkPath, { url }: Pick<LinkRequest, 'url'>): Command {
    const remove: LinkWork = async (session, planned) => {
      await this.writer.remove(session, planned, () => refuseQuery(url));
      return NULL_ANSWER;
    };
    return this.#command(path, 'delete', { work: remove, hooks: true }, (link) => {
      const run = async (session: Session): Promise<Answer> => {
        await link.remove(session, path.parent, path.child);
        return NULL_ANSWER;
      };
      return this.#onModel(path, { url, takes: CASCADE_QUERY }, link, { run });
    });
  }

  /** Links units of users' kinds within a session. @param values of the parameters of the link type */
  async createIn(session: Session, path: LinkPath, values?: unknown): Promise<void> {
    const planned = this.#plannedIn(session, path, 'create');
    await this.writer.create(session, planned, () => newLinkBody(planned, values));
  }

  /** Changes values of a link within a session. */
  async updateIn(session: Session, path: LinkPath, values: unknown): Promise<void> {
    await this.writer.update(session, this.#plannedIn(session, path, 'create'), () => optionalBody(values ?? null));
  }

  async removeIn(session: Session, path: LinkPath): Promise<void> {
    await this.writer.remove(session, this.#plannedIn(session, path, 'delete'));
  }

  #plannedIn(session: Session, path: LinkPath, operation: LinkOperation): PlannedLink {
    const planned = authorizeLink(session, path, operation, this.systemLinks);
    if (isSystemLink(planned)) throw unknownType(path);
    return planned;
  }

  /** @param onModel plans the same for a link type of the system, whose units are kinds */
  #command(
    path: LinkPath,
    operation: LinkOperation,
    { work, hooks, body }: { readonly work: LinkWork; readonly hooks: boolean; readonly body?: BodyLimit },
    onModel: (link: SystemLink) => Command,
  ): Command {
    return {
      authorize: (opened) => {
        const planned = authorizeLink(opened, path, operation, this.systemLinks);
        if (isSystemLink(planned)) return onModel(planned).authorize(opened);
        const parent = planned.plan.parent.kind;
        const run: Plan['run'] = (session, bytes) => {
          if (!hooks || !this.hooks.runFor(parent, operation, session)) return work(session, planned, bytes);
          const needs = this.hooks.needs(parent, session, `link ${parent.id} ${path.parent}`);
          return inTransaction(this.database, session, needs, (within) => work(within, planned, bytes));
        };
        return { effect: 'write', kindId: path.parentKind, shows: 'links', body, run };
      },
    };
  }

  #onModel(
    { parentKind, parent, childKind, child }: LinkPath,
    query: FlagQuery,
    link: SystemLink,
    steps: Pick<Plan, 'body' | 'run'>,
  ): Command {
    const check = async (session: Session): Promise<void> => {
      link.check(session, parent, childKind, child);
      const { kind } = authorizeKind(session.model, childKind, 'read', session.caller);
      await checkUnit(session, kind, child, undefined, 'read');
    };
    const rights = { kindId: parentKind, unitId: parent, operation: 'link' } as const;
    return this.units.define(rights, query, { check, ...steps });
  }
}

/** The values of a new link. For types without parameters, any body is ignored. */
function newLinkBody({ type }: PlannedLink, value: unknown): Body {
  return optionalBody(type.parameters.length === 0 ? undefined : value);
}
