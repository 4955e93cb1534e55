/** Reads pages of the feed: gives new changes their numbers, then judges them in their order. */
import { Inject, Injectable } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import { SECRET } from '../config/config.js';
import { inPieces, type Answer } from '../http/answer/answer.js';
import { instantOf } from '../model/parameter-type/calendar.js';
import { getOrInsert } from '../shared/maps.js';
import {
  candidatesStatement,
  NUMBERS_AT_ONCE,
  seenLinksStatement,
  seenUnitsStatement,
  type CandidateRow,
  type FeedKindPlan,
  type SeenRow,
} from '../sql/changes/feed.sql.js';
import { feedStatement, type FeedRow } from '../sql/changes/number.sql.js';
import type { Statement } from '../sql/fragment.js';
import { checkVersion } from '../unit/table/unit.repository.js';
import { FeedGeneration } from './feed-generation.js';
import { FeedCursors, mustResync, type FeedPosition } from './feed-cursor.js';
import { writeEvent } from './feed-event.js';
import { planChildren, type FeedPlan } from './feed.plan.js';
import { Numbering } from './numbering.js';

/** Changes that are judged at once. */
const AT_ONCE = 1000;
/** Milliseconds after which a page ends, so that one with few changes for its reader is answered too. */
const LONGEST_READ = 2000;

export interface FeedPage {
  /** JSON texts. */
  readonly items: readonly string[];
  readonly next: FeedPosition;
  readonly more: boolean;
}

/** One change, as a JSON text. */
interface SeenEvent {
  readonly operation: string;
  readonly at: string;
  readonly text: string;
}

/** A seen change with the kind of its unit. */
interface Seen {
  readonly kind: FeedKindPlan;
  readonly row: SeenRow;
}

@Injectable()
export class FeedReader {
  readonly #cursors: FeedCursors;

  constructor(
    private readonly numbering: Numbering,
    private readonly generation: FeedGeneration,
    @Inject(SECRET) secret: string,
  ) {
    this.#cursors = new FeedCursors(secret);
  }

  /** @throws KindError 400 and 410 for a cursor that cannot be read on from */
  async read(session: Session, plan: FeedPlan, from: FeedPosition | undefined): Promise<FeedPage> {
    const { project } = session;
    const feed = await this.numbering.number(project.schema);
    const epoch = await this.#epochOf(feed);
    const [kept, last] = [BigInt(feed.kept), BigInt(feed.last)];
    const { since } = plan.query;
    const asked = from ?? (since ? this.#cursors.read(project.id, since) : undefined);
    if (asked && (asked.epoch !== epoch || asked.seq < kept || asked.seq > last)) throw mustResync();
    const begin = asked?.seq ?? (since === '' ? kept : last);
    const { items, seq } = await this.#page(session, plan, { epoch, begin, last });
    return { items, next: { epoch, seq }, more: seq < last };
  }

  /** The change with a number, as the caller sees it; undefined if it sees nothing of it. @throws KindError 410 */
  async one(session: Session, plan: FeedPlan, seq: bigint): Promise<SeenEvent | undefined> {
    const [feed] = await session.executor.run<FeedRow>(feedStatement(session.project.schema));
    const { rows } = await this.#candidates(session, plan, seq - 1n, seq);
    const [seen] = await this.#judge(session, plan, rows, 1);
    if (!feed || !seen) return undefined;
    const cursor = this.#cursors.write(session.project.id, { epoch: await this.#epochOf(feed), seq });
    const { operation, version } = seen.row;
    return { operation, at: instantOf(version), text: writeEvent(seen.kind, seen.row, cursor, session.caller) };
  }

  async #epochOf({ epoch }: FeedRow): Promise<string> {
    return `${await this.generation.current()}.${epoch}`;
  }

  answer({ project }: Session, { items, next, more }: FeedPage): Answer {
    const cursor = JSON.stringify(this.#cursors.write(project.id, next));
    return inPieces([`{"count":${items.length},"items":[`, items.join(), `],"next":${cursor},"more":${more}}`]);
  }

  /** The changes up to a limit, and the number after which the next page begins. */
  async #page(
    session: Session,
    plan: FeedPlan,
    { epoch, begin, last }: { readonly epoch: string; readonly begin: bigint; readonly last: bigint },
  ): Promise<{ readonly items: readonly string[]; readonly seq: bigint }> {
    const { limit } = plan.query;
    const until = performance.now() + LONGEST_READ;
    const items: string[] = [];
    let after = begin;
    while (after < last && items.length < limit && performance.now() < until) {
      const { rows, upTo } = await this.#candidates(session, plan, after, last);
      for (const { kind, row } of await this.#judge(session, plan, rows, limit - items.length)) {
        const seq = BigInt(row.seq ?? 0);
        if (items.length === limit) return { items, seq: after };
        after = seq;
        const cursor = this.#cursors.write(session.project.id, { epoch, seq });
        items.push(writeEvent(kind, row, cursor, session.caller));
      }
      if (items.length < limit) after = upTo;
    }
    return { items, seq: after };
  }

  /** The next changes, and the number up to which these are all. */
  async #candidates(
    { executor, project: { schema } }: Session,
    { kinds }: FeedPlan,
    after: bigint,
    last: bigint,
  ): Promise<{ readonly rows: readonly CandidateRow[]; readonly upTo: bigint }> {
    const end = after + NUMBERS_AT_ONCE;
    const upTo = end < last ? end : last;
    const range = { after, upTo, limit: AT_ONCE };
    const found = await executor.run<CandidateRow>(candidatesStatement(schema, [...kinds.keys()], range));
    // They may have been deleted since the state of the feed was read.
    if (BigInt(found[0]?.kept ?? 0) > after) throw mustResync();
    const rows = found.filter(({ seq }) => seq !== null);
    const [latest] = rows.slice(-1);
    return { rows, upTo: rows.length === AT_ONCE && latest?.seq ? BigInt(latest.seq) : upTo };
  }

  /** The first of the changes that the caller sees, in their order: at least so many, if there are. */
  async #judge(
    session: Session,
    { kinds, query }: FeedPlan,
    rows: readonly CandidateRow[],
    limit: number,
  ): Promise<readonly Seen[]> {
    const seen: Seen[] = [];
    const operations = [...query.operations];
    for (const [kindId, { units, links, children }] of byKind(rows)) {
      const kind = kinds.get(kindId);
      if (!kind) continue;
      const run = async (statement: Statement): Promise<void> => {
        const found = await session.executor.run<SeenRow>(statement);
        checkVersion(found[0], session.model);
        for (const row of found) if (row.seq !== null) seen.push({ kind, row });
      };
      if (units.length > 0) await run(seenUnitsStatement(kind, { numbers: units, operations, limit }));
      if (links.length > 0) {
        await run(
          seenLinksStatement(kind, planChildren(session, [...children]), { numbers: links, operations, limit }),
        );
      }
    }
    return seen.sort((one, other) => Number(one.row.seq) - Number(other.row.seq));
  }
}

/** Numbers of changes of one kind. */
interface Candidates {
  readonly units: string[];
  readonly links: string[];
  readonly children: Set<string>;
}

function byKind(rows: readonly CandidateRow[]): ReadonlyMap<string, Candidates> {
  const kinds = new Map<string, Candidates>();
  for (const { seq, kind, child } of rows) {
    if (seq === null) continue;
    const of = getOrInsert(kinds, kind, (): Candidates => ({ units: [], links: [], children: new Set() }));
    if (child !== null) of.children.add(child);
    (child === null ? of.units : of.links).push(seq);
  }
  return kinds;
}
