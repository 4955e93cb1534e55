/** Shows administrators which units a member could use, under the access of a kind as it is or as it would be. */
import { Injectable } from '@nestjs/common';
import { authorizeAdministrator } from '../../access/access.js';
import {
  checkPreviewedField,
  kindWithAccess,
  kindWithFieldAccess,
  PREVIEWED_OPERATIONS,
  unitsFor,
  unitsForField,
} from '../../access/preview.js';
import { type Answer, pageAnswer } from '../../http/answer/answer.js';
import { Choice, OptionalText, OptionalValue, readDto } from '../../http/body/dto.js';
import { parseBody } from '../../http/body/read-body.js';
import { parseListQuery, urlQueryParameters } from '../../http/route/parse-list-query.js';
import { PREVIEW_QUERY } from '../../http/route/query-names.js';
import type { KindDef, Model } from '../../model/model.js';
import { conjunction } from '../../model/predicate/predicate.js';
import { type KindError, refusal } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { ANONYMOUS } from '../../tenancy/caller.js';
import { namedMember } from './explanations.js';
import { planQuery } from '../query/list.plan.js';
import { type Command, type Plan, reading } from '../../run/command.js';
import type { Session } from '../../catalog/session/session.js';
import type { Readable } from '../store/unit-store.js';
import { UnitStores } from '../unit-stores.js';
import type { Operation } from '../../model/built-in-traits.js';

/** What administrators ask before they change the access of a kind. */
export class AccessPreviewBody {
  @Choice(PREVIEWED_OPERATIONS)
  operation!: Operation;

  @OptionalValue({
    oneOf: [{ $ref: '#/components/schemas/kind_access_level' }, { type: 'null' }],
    description:
      'As in the `access` of a kind, or of a parameter as its `read_access` or `write_access`; null for the default; left out, what is stored.',
  })
  access?: Json;

  @OptionalText({
    description:
      'A parameter of the kind, whose access is asked for in place of that of the kind; `operation` is then `read`, `create` or `update`.',
  })
  parameter?: string | null;

  @OptionalText({ description: 'The id of a member; without one, requests without a token.' })
  member?: string | null;
}

interface PreviewRequest {
  readonly url: string;
  readonly contentType: string | undefined;
}

@Injectable()
export class AccessPreviews {
  constructor(private readonly stores: UnitStores) {}

  /**
   * A page of the units, as the administrator sees them.
   * @throws KindError 400, 401, 403, 404
   */
  ofKind(kindId: string, { url, contentType }: PreviewRequest): Command {
    return reading((opened) => {
      const readable = authorizeAdministrator(opened.model, kindId, opened.caller);
      const { kind } = readable;
      this.stores.of(kind).checkState(kind, opened, 'list');
      const run: Plan['run'] = async (session, bytes) =>
        this.#list(session, readable, url, await parseBody(bytes, contentType, session.project.schema));
      return { body: 'small', mayBeOlder: true, once: !kind.storage.transactional, run };
    });
  }

  async #list(session: Session, { kind, grant }: Readable, url: string, body: unknown): Promise<Answer> {
    const { model } = session;
    const parsed = parseListQuery(urlQueryParameters(url), PREVIEW_QUERY);
    const asked = planQuery(parsed, () => readAsked(kind, body, model));
    const member = asked.member === undefined ? ANONYMOUS : await namedMember(session, asked.member, badMember);
    const usable =
      asked.parameter === undefined
        ? unitsFor(asked.kind, asked.operation, member, model)
        : unitsForField(asked.kind, asked.parameter, asked.operation, member, model);
    if (!usable) return pageAnswer({ count: 0, items: '[]' });
    const readable = { kind, grant: { predicate: conjunction(grant.predicate, usable.predicate) } };
    // Without its parameters: the statement is not that of the same query by this caller.
    const query = { query: parsed.query, faults: [] };
    return pageAnswer(await this.stores.of(kind).reads.list(session, readable, query));
  }
}

/** What the body asks, and the kind with the access that it gives. @throws KindError 400 with all faults */
function readAsked(kind: KindDef, body: unknown, model: Model) {
  const { operation, access, member, parameter: named } = readDto(AccessPreviewBody, body);
  const parameter = named ?? undefined;
  if (parameter !== undefined) checkPreviewedField(kind, parameter, operation);
  const changed = (setting: Json): KindDef =>
    parameter === undefined
      ? kindWithAccess(kind, operation, setting, model)
      : kindWithFieldAccess(kind, parameter, operation, setting, model);
  return {
    operation,
    parameter,
    member: member ?? undefined,
    kind: access === undefined ? kind : changed(access),
  };
}

function badMember(text: string): KindError {
  return refusal('parameter.bad_reference', `member: ${text}`, { parameter: 'member' });
}
