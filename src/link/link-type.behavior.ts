/**
 * Writes of link types: some ids are reserved for the system, parameters may be defined in the body, and a deletion
 * deletes the links too.
 */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { checkLinkAccess } from '../access/check-access.js';
import { suggestableIds } from '../access/suggestable-ids.js';
import { checkLinkType } from '../model/check/check-model.js';
import { parameterOwner, type KindDef } from '../model/model.js';
import { plural } from '../shared/texts.js';
import { refusal } from '../shared/errors.js';
import { scalarText } from '../shared/json.js';
import { Behaviors, type RegisteredBehavior, type PendingWrite } from '../unit/draft/behavior.js';
import type { Body, Draft } from '../unit/draft/draft.js';
import { checkNewId, idOfBody, InlineParameters, withLabel } from '../unit/definitions.js';
import { lockLinksStatement } from '../sql/link/link.sql.js';
import { countLinksStatement, deleteLinksOfTypeStatement } from '../sql/link/many-links.sql.js';
import { changeOf, originalCallerOf, type Session } from '../catalog/session/session.js';
import { LINK_KIND } from '../model/built-in-traits.js';

@Injectable()
export class LinkTypeBehavior implements RegisteredBehavior, OnModuleInit {
  readonly definition = true;

  constructor(
    private readonly behaviors: Behaviors,
    private readonly inline: InlineParameters,
  ) {}

  onModuleInit(): void {
    this.behaviors.register(this);
  }

  applies(kind: KindDef): boolean {
    return kind.id === LINK_KIND;
  }

  async prepare(given: Body, write: PendingWrite): Promise<Body> {
    const body = write.id === undefined ? withLabel(given) : given;
    const parameters = body.get('parameters');
    if (!Array.isArray(parameters)) return body;
    const id = write.id ?? idOfBody(body);
    const owner = id === undefined ? undefined : parameterOwner('link', id);
    return new Map([...body, ['parameters', await this.inline.create(parameters, owner, write)]]);
  }

  complete(draft: Draft, { id, session, faults }: PendingWrite): Draft {
    const typeId = id ?? scalarText(draft.row['id']);
    if (id === undefined) checkNewId(typeId, LINK_KIND, session.model, faults);
    changeOf(session).linkTypes.add(typeId);
    const access = draft.values.get('access');
    if (access !== undefined && access !== null) checkLinkAccess(access, faults);
    if (access !== undefined) changeOf(session).linkAccess.add(typeId);
    // A body without faults is checked by `checkModel`, after everything has been written.
    const parameters = draft.values.get('parameters');
    if (faults.any && Array.isArray(parameters)) {
      const suggestable = suggestableIds(session.model, originalCallerOf(session));
      const known = new Set([...changeOf(session).inline.keys()]);
      const listed = (parameters as string[]).filter((each) => !known.has(each));
      checkLinkType({ id: typeId, parameters: listed }, session.model, suggestable, faults);
    }
    return draft;
  }

  async beforeDelete(_: KindDef, id: string, session: Session): Promise<void> {
    if (session.model.linkTypes.get(id)?.builtIn) {
      throw refusal('kind.built_in', `The link type '${id}' is built in and cannot be deleted`);
    }
    const { executor, project } = session;
    const { cascade, tellCounts, effects } = changeOf(session);
    // A lock of the link type's row instead would make every new link of the type wait for it.
    await executor.run(lockLinksStatement(project.schema));
    const countLinks = async (): Promise<number> => {
      const [row] = await executor.run<{ count: number }>(countLinksStatement(project.schema, id));
      return row?.count ?? 0;
    };
    if (cascade) {
      effects?.addLoss({ link_id: id }, 'links', await countLinks());
      await executor.run(deleteLinksOfTypeStatement(project.schema, id));
      return;
    }
    const count = await countLinks();
    if (count === 0) return;
    const links = tellCounts ? `${plural(count, 'link')} of '${id}'` : `Links of '${id}'`;
    throw refusal('link.in_use', `${links} would be lost; ?cascade=true deletes it anyway`);
  }
}
