/** Opens streams of live lists. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Deployments, type Session } from '../../catalog/session/session.js';
import { Database } from '../../database/database.js';
import { StreamAnswer } from '../../http/answer/answer.js';
import type { HttpRequest, HttpResponse } from '../../http/request/request.js';
import { currentOperation } from '../../http/server/error.responder.js';
import { activeProjects } from '../../shared/active-keys.js';
import { refusal, retryLater } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { getOrInsert } from '../../shared/maps.js';
import { MetricSources } from '../../shared/metric-sources.js';
import { answerTooLarge } from '../../shared/response-size.js';
import { judgementOf, judgementText, type LivePageRow } from '../../sql/changes/live.sql.js';
import { CallerResolver } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { unknownUnit } from '../../unit/store/unit-ids.js';
import { UnitStores } from '../../unit/unit-stores.js';
import { waitingOwner } from '../waiting/waiting-owner.js';
import { Waiting } from '../waiting/waiting.js';
import { planList, type AskedList, type LivePlan } from './live.plan.js';
import { readLivePage } from './live-page.js';
import { LiveProject, type LiveParts } from './live-project.js';
import { LiveQuery } from './live-query.js';
import { LiveStream } from './live-stream.js';

/** A list that is asked for, with its plan and its first page. */
interface FirstPage {
  readonly asked: AskedList;
  readonly plan: LivePlan;
  readonly page: LivePageRow;
}

@Injectable()
export class LiveLists {
  readonly #parts: LiveParts;
  /** By schema. */
  readonly #projects = new Map<string, LiveProject>();
  #open = 0;

  constructor(
    catalog: Catalog,
    database: Database,
    private readonly waiting: Waiting,
    private readonly callers: CallerResolver,
    deployments: Deployments,
    stores: UnitStores,
    metrics: MetricSources,
  ) {
    this.#parts = { catalog, database, deployments, stores, callers, waiting };
    metrics.addGauge('kind_live_streams', 'Open streams of live lists.', () => this.#open);
    metrics.addGauge('kind_changes_waiting', 'Requests and streams that wait for changes.', () => waiting.size);
    metrics.addGauge(
      'kind_live_delay_seconds',
      'How long it took of late to tell the streams of a project what was written, at most.',
      () => Math.max(0, ...[...this.#projects.values()].map(({ delay }) => delay)),
      {},
      'max',
    );
  }

  /** Checks and reads all lists, so that a refusal is answered like any other; then the stream begins. */
  async open(session: Session, request: HttpRequest, asked: readonly AskedList[]): Promise<StreamAnswer> {
    const { project, caller } = session;
    if (this.waiting.stopped) throw retryLater('server.stopping', 'The service stops');
    const plans = inTurn(request, asked, (each) => {
      const plan = planList(session, each, this.#parts.stores);
      judgementText(judgementOf(plan.list));
      return plan;
    });
    const owner = waitingOwner(caller, request);
    const leave = this.waiting.enter(project.schema, owner);
    try {
      const lists = await this.#firstPages(session, request, asked, plans);
      const stream = new LiveStream(caller, owner);
      const expires = this.callers.expiryOf(request);
      return new LiveAnswer((response) => {
        if (response.destroyed) return leave();
        response.once('close', leave);
        this.#begin(project, stream, lists, response);
        endInTime(stream, response, expires);
      });
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** PostgreSQL may be another one than before: what was sent may never have been. */
  readAgain(): void {
    for (const project of this.#projects.values()) project.readAgain();
  }

  async #firstPages(
    session: Session,
    request: HttpRequest,
    asked: readonly AskedList[],
    plans: readonly LivePlan[],
  ): Promise<readonly FirstPage[]> {
    const lists: FirstPage[] = [];
    let characters = 0;
    for (const [at, plan] of plans.entries()) {
      currentOperation.set(request, at);
      const list = asked[at];
      if (!list) break;
      const page = await readLivePage(session.executor, plan, session.model);
      if (list.unitId !== undefined && Number(page.count) === 0) throw unknownUnit(plan.list.kind, list.unitId);
      characters += page.items.length;
      if (characters > LIMITS.answerBytes) throw answerTooLarge();
      lists.push({ asked: list, plan, page });
    }
    currentOperation.set(request, undefined);
    return lists;
  }

  #begin(project: Project, stream: LiveStream, lists: readonly FirstPage[], response: HttpResponse): void {
    const { schema } = project;
    const streams = getOrInsert(this.#projects, schema, () => new LiveProject(project, this.#parts));
    const queries = lists.map(({ asked, page }) => new LiveQuery(stream, asked, page));
    this.#open += 1;
    // A project is not active while its streams have nothing to tell. The request, which is counted, leaves when it ends.
    activeProjects.leave(schema);
    response.prependOnceListener('close', () => activeProjects.enter(schema));
    response.once('close', () => {
      this.#open -= 1;
      streams.remove(stream);
      if (streams.isEmpty && this.#projects.get(schema) === streams) this.#projects.delete(schema);
    });
    stream.begin(response);
    for (const [at, { page }] of lists.entries()) queries[at]?.sendFirst(page);
    streams.add(stream, queries);
  }
}

class LiveAnswer extends StreamAnswer {
  constructor(readonly start: (response: HttpResponse) => void) {
    super();
  }
}

/** Does something for each of the lists, whose refusals name it. */
function inTurn<T>(request: HttpRequest, asked: readonly AskedList[], work: (list: AskedList) => T): readonly T[] {
  const done = asked.map((each, at) => {
    currentOperation.set(request, at);
    return work(each);
  });
  currentOperation.set(request, undefined);
  return done;
}

/** @param expires when the token does, in milliseconds since 1970 */
function endInTime(stream: LiveStream, response: HttpResponse, expires: number): void {
  const [left, most] = [expires - Date.now(), LIMITS.liveSeconds * 1000];
  const end = (): void => {
    if (left < most) stream.end(refusal('token.expired', 'The token has expired; get another one'));
    else stream.end(refusal('stream.old', 'The stream has lasted for an hour; open it again'));
  };
  const timer = setTimeout(end, Math.max(0, Math.min(left, most)));
  response.once('close', () => clearTimeout(timer));
}
