import { useText } from '../i18n/text.js';
import type { WalkedUnit } from './walked.js';

/** Follows the links of a unit, says how many are not shown, and shows more of them. */
export function ExpandButton({ unit: { label, followed }, onExpand }: { unit: WalkedUnit; onExpand: () => void }) {
  const text = useText();
  const known = Object.values(followed);
  const hidden = known.reduce(
    (sum, { count, shown, next }) => sum + (next === null ? 0 : Math.max(count - shown, 0)),
    0,
  );
  if (known.length > 0 && hidden === 0) return <span className="null">{text('graph.all_shown')}</span>;
  const shown = known.length === 0 ? text('graph.follow') : text('graph.more', { smart_count: hidden });
  return (
    <button type="button" className="graph-button" aria-label={`${shown}: ${label}`} onClick={onExpand}>
      {shown}
    </button>
  );
}
