/** What is recorded of the writes of a session: which values, and who wrote them in which way. */
import { recordedFields } from '../../model/recorded-fields.js';
import { isLinkable, type KindDef, type Model } from '../../model/model.js';
import { getOrInsert } from '../../shared/maps.js';
import type { LinkRecording, Recording } from '../../sql/write/recording.sql.js';
import { originalCallerOf, outermostVia, type Session } from './session.js';

type Opened = Omit<Session, 'executor'>;

/** Undefined where the kind's changes are not recorded, or the write is undone. */
export function recordingOf(session: Opened, kind: KindDef): Recording | undefined {
  if (kind.changes === 'none' || session.dry) return undefined;
  return { fields: recordedFields(kind, session.model), origin: originText(session) };
}

const parents = new WeakMap<Model, readonly string[]>();

/** Undefined where no links are recorded: it depends on the kind of their parent. */
export function linkRecordingOf(session: Opened, parent?: KindDef): LinkRecording | undefined {
  const { model, dry } = session;
  if (dry || parent?.changes === 'none') return undefined;
  const recorded = getOrInsert(parents, model, () =>
    [...model.kinds.values()].filter((kind) => isLinkable(kind) && kind.changes !== 'none').map(({ id }) => id),
  );
  return recorded.length > 0 ? { parents: recorded, origin: originText(session) } : undefined;
}

/** Who wrote a change, and how, as it is stored. */
interface StoredOrigin {
  readonly via: string;
  readonly member?: string;
  readonly member_kind?: string;
  /** The id of the API key. */
  readonly key?: string;
  /** Set where the rule of a reference did it. */
  readonly cascade?: true;
  /** How many times something has followed a commit before it. */
  readonly depth?: number;
}

type Written = Pick<Session, 'caller' | 'originalCaller' | 'origin' | 'cascade'>;

export function originText(session: Written): string {
  return JSON.stringify(originOf(session));
}

function originOf(session: Written): StoredOrigin {
  const caller = originalCallerOf(session);
  const via = outermostVia(session);
  const depth = session.origin?.depth;
  const further = { ...(session.cascade && { cascade: session.cascade }), ...(depth !== undefined && { depth }) };
  if (caller.type !== 'member') return { via, ...further };
  return { via, member: caller.id, member_kind: caller.kindId, ...(caller.key && { key: caller.key.id }), ...further };
}
