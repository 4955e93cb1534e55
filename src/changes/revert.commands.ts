/** Puts units back as they were: an edit or create through the door of all others. */
import { Injectable } from '@nestjs/common';
import { authorizeKind, grantOf } from '../access/access.js';
import { inTransaction } from '../catalog/session/executors.js';
import { withOrigin, type Session } from '../catalog/session/session.js';
import { Database } from '../database/database.js';
import { Answer } from '../http/answer/answer.js';
import { expectedVersions } from '../http/answer/etag.js';
import { readDto } from '../http/body/dto.js';
import { parseBody, ParsedBody } from '../http/body/read-body.js';
import { readQuery } from '../http/route/parse-list-query.js';
import { CASCADE_QUERY } from '../http/route/query-names.js';
import { isMemberKind, type KindDef } from '../model/model.js';
import type { Command, Plan } from '../run/command.js';
import { KindError, refusal } from '../shared/errors.js';
import { scalarText } from '../shared/json.js';
import { Behaviors } from '../unit/draft/behavior.js';
import { versionMismatch } from '../unit/table/rights.js';
import { UnitStores } from '../unit/unit-stores.js';
import { WriteCommands, type WriteRequest } from '../unit/write.commands.js';
import { keyText } from './history.commands.js';
import { authorizeHistory, type HistoryOf } from './history.plan.js';
import { HistoryReader, unknownVersion, type Past } from './history.reader.js';
import { checkContent, comparedFields, putBack, withoutRefused, type PutBack } from './put-back.js';
import { RevertBody } from './revert.body.js';

/** Of its savepoints: hooks use greater ones. */
const DEPTH = 0;

/** What is asked for of a unit. */
interface Asked extends RevertBody {
  readonly unit: string;
}

@Injectable()
export class RevertCommands {
  constructor(
    private readonly database: Database,
    private readonly behaviors: Behaviors,
    private readonly stores: UnitStores,
    private readonly writes: WriteCommands,
    private readonly reader: HistoryReader,
  ) {}

  revert(kindId: string, unitId: string, request: WriteRequest): Command {
    return {
      authorize: (opened) => {
        const { model, caller } = opened;
        const of = authorizeHistory(opened, kindId);
        const mayEdit = grantOf(of.kind, 'update', caller, model) !== undefined;
        if (!mayEdit) authorizeKind(model, kindId, ['update', 'create'], caller);
        // What an edit needs to run, or a create, whichever of the two it will be.
        const back = { ...request, back: {} };
        const either = mayEdit ? this.writes.update(kindId, unitId, back) : this.writes.create(kindId, back);
        const run: Plan['run'] = async (session, bytes) => {
          const { schema } = session.project;
          const unit = keyText(of.kind, unitId);
          readQuery(request.url, CASCADE_QUERY);
          const asked = { ...readDto(RevertBody, await parseBody(bytes, request.contentType, schema)), unit };
          await this.reader.number(schema);
          const isolation = this.stores.of(of.kind).isolation(session, of.kind, 'update') ?? 'read committed';
          const needs = { isolation, long: this.behaviors.haveHooks(of.kind, session) };
          return inTransaction(this.database, withOrigin(session, 'revert'), needs, (within) =>
            this.#revert(within, of, asked, request),
          );
        };
        // A unit that is created again gets another secret.
        const secret = of.kind.traits.secret !== undefined;
        return { ...either.authorize(opened), body: 'small', shows: undefined, secret, run };
      },
    };
  }

  async #revert(
    session: Session,
    { kind, read, access }: HistoryOf,
    asked: Asked,
    request: WriteRequest,
  ): Promise<Answer> {
    const { unit, version } = asked;
    const grant = grantOf(kind, 'read', session.caller, session.model);
    if (grant) await this.stores.of(kind).reads.lock(session, { kind, grant }, unit);
    const past = await this.reader.past(session, {
      schema: session.project.schema,
      kind,
      unit,
      read,
      access,
      fields: comparedFields(kind, session),
      days: kind.historyKeep,
      asOf: { version: String(version) },
    });
    // Its values were removed with it.
    if (!past.present && isMemberKind(kind)) throw memberIsGone(unit);
    if (past.version === null || past.erased || !past.seen) throw unknownVersion();
    if (past.present && isOfDeleted(past, past.present)) throw isThere(kind, unit);
    if (!past.present && expectedVersions(request.ifMatch)) throw versionMismatch(kind, unit);
    checkContent(kind, past, asked.parameters ?? undefined);
    const given = putBack(session, kind, past, asked.parameters ?? undefined);
    const write = past.present ? this.#edit : this.#create;
    const { answer, leftOut } = await withoutRefusedValues(session, given, (body) =>
      write(session, kind, past, { ...request, unit, body: new ParsedBody(body) }),
    );
    const text = `{"unit":${answer.content},"left_out":${JSON.stringify(leftOut)}}`;
    return new Answer(text, answer.etag, answer.headers, answer.changes);
  }

  #edit = (session: Session, { id }: KindDef, _: Past, { unit, body, ...request }: Written): Promise<Answer> => {
    return this.writes
      .update(id, unit, { ...request, back: {} })
      .authorize(session)
      .run(session, body);
  };

  #create = async (session: Session, kind: KindDef, { past }: Past, request: Written): Promise<Answer> => {
    const { unit, body, ...rest } = request;
    const insertedAt = scalarText(past['inserted_at']);
    const create = this.writes.create(kind.id, { ...rest, ifMatch: undefined, back: { insertedAt } });
    try {
      return await create.authorize(session).run(session, body);
    } catch (error) {
      throw error instanceof KindError && isOfKey(error, kind) ? isThere(kind, unit) : error;
    }
  };
}

/**
 * Writes again without each value that is refused for itself: a rule may depend on what else is put back, and on what hooks
 * make of it. What hooks wrote before a refusal is undone.
 */
async function withoutRefusedValues(
  { executor: { tx } }: Session,
  given: PutBack,
  write: (body: PutBack['body']) => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly leftOut: PutBack['leftOut'] }> {
  for (let left = given; ;) {
    await tx?.setSavepoint(DEPTH);
    try {
      const answer = await write(left.body);
      tx?.leaveSavepoint(DEPTH);
      return { answer, leftOut: left.leftOut };
    } catch (error) {
      const fewer = withoutRefused(left, error);
      if (!fewer) throw error;
      await tx?.backToSavepoint(DEPTH);
      left = fewer;
    }
  }
}

interface Written extends WriteRequest {
  readonly unit: string;
  readonly body: ParsedBody;
}

function memberIsGone(unit: string): KindError {
  return refusal('unit.member', `The member '${unit}' was deleted, and does not come back`);
}

/** Whether a version is that of a unit that was deleted, in whose place another one is, or itself again. */
function isOfDeleted({ operation, past }: Past, present: Past['past']): boolean {
  return operation === 'delete' || past['inserted_at'] !== present['inserted_at'];
}

/** Whether a create was refused because there is a unit with its id. */
function isOfKey({ code, messages: [{ parameter }] }: KindError, { primary }: KindDef): boolean {
  return code === 'parameter.not_unique' && (parameter === 'id' || parameter === primary?.id);
}

function isThere({ id }: KindDef, unit: string): KindError {
  return refusal('unit.exists', `The unit '${unit}' of '${id}' is there again`);
}
