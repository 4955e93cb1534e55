/** How access is shown: the setting of an operation, and whether strangers may do it. */
import type { AccessEntry } from '../api/access.js';
import { useText, type Text } from '../i18n/text.js';

/** A level, or rules. */
export type Setting = string | readonly string[];

export function settingText(setting: Setting | undefined, text: Text): string {
  if (setting === undefined) return text('access.default');
  if (typeof setting !== 'string') return setting.join('\n');
  return isLevel(setting) ? text(`who.${setting}`) : setting;
}

const LEVELS = ['anyone', 'member', 'self', 'admin', 'nobody'] as const;

export function isLevel(setting: string): setting is (typeof LEVELS)[number] {
  return (LEVELS as readonly string[]).includes(setting);
}

/** The setting, and in effect who may do it, if that is somebody else. */
export function EntrySetting({ entry }: { entry: AccessEntry }) {
  const text = useText();
  const { level, rules, stored, who, by_rule: byRule } = entry;
  return (
    <>
      {level === null ? rules.map((rule) => <code key={rule}>{rule}</code>) : <span>{text(`who.${level}`)}</span>}
      {!stored && <small>{text('access.default')}</small>}
      {level !== null && who !== level && (
        <small>{text(byRule ? 'access.in_effect_rule' : 'access.in_effect', { who: text(`who.${who}`) })}</small>
      )}
      <StrangerMark entry={entry} />
    </>
  );
}

type Strangers = Pick<AccessEntry, 'stranger' | 'stranger_writes' | 'by_rule'> & Partial<Pick<AccessEntry, 'accepted'>>;

export function StrangerMark({ entry }: { entry: Strangers }) {
  const text = useText();
  const key = strangerKey(entry);
  if (key === undefined) return null;
  if (typeof entry.accepted === 'string') return <small>{text('access.accepted', { why: entry.accepted })}</small>;
  return (
    <strong className="access-stranger">
      <span aria-hidden>⚠</span> {text(key)}
    </strong>
  );
}

function strangerKey({ stranger, stranger_writes: writes, by_rule: byRule }: Strangers) {
  if (!stranger) return undefined;
  if (writes) return 'access.stranger_writes' as const;
  return byRule ? ('access.stranger_rule' as const) : ('access.stranger' as const);
}
