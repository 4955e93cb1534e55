/** What a change of definitions does to who may do what. */
import { Alert, List, Text as Paragraph } from '@mantine/core';
import type { AccessChange, AccessRight, ChangeEffects } from '../api/definitions.js';
import { useText, type Text } from '../i18n/text.js';
import { settingText, StrangerMark } from './setting.js';

/** Shows nothing if nobody else may do anything afterwards. */
export function AccessChanges({ effects }: { effects: ChangeEffects }) {
  const text = useText();
  const { access = [], more_access: more } = effects;
  const settings = changedSettings(effects);
  if (access.length === 0 && settings.length === 0) return null;
  const gains = access.filter(({ before, after }) => gainedByStrangers(before, after));
  return (
    <section aria-label={text('access.changed')}>
      {gains.length > 0 && (
        <Alert
          color="red"
          role="alert"
          title={
            <>
              <span aria-hidden>⚠</span> {text('access.strangers_gain')}
            </>
          }
        >
          <List size="sm" className="access-names">
            {gains.map((change) => (
              <List.Item key={nameOf(change, text)}>{nameOf(change, text)}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Paragraph fw={600} size="sm">
        {text('access.changed')}
      </Paragraph>
      <List size="sm" className="access-names">
        {settings.map(({ of, id, operation, before, after }) => (
          <List.Item key={`${of} ${id} ${operation}`}>
            {text('access.setting_of', { name: `${id}, ${operationText(operation, text)}` })}{' '}
            <code className="access-before">{settingText(before, text)}</code> →{' '}
            <code className="access-after">{settingText(after, text)}</code>
          </List.Item>
        ))}
        {sameEffects(access).map(([first, ...others]) => (
          <List.Item key={nameOf(first, text)}>
            {text(first.before ? 'access.effect_of' : 'access.effect_of_new', {
              name: [nameOf(first, text), ...others.map(({ operation }) => operationText(operation, text))].join(', '),
            })}{' '}
            {first.before && `${whoText(first.before, text)} → `}
            {`${whoText(first.after, text)} `}
            <StrangerMark entry={first.after} />
          </List.Item>
        ))}
        {more !== undefined && <List.Item>{text('model.and_more', { smart_count: more })}</List.Item>}
      </List>
    </section>
  );
}

function gainedByStrangers(before: AccessRight | null, after: AccessRight): boolean {
  if (!after.stranger) return false;
  if (!before?.stranger) return true;
  return (before.by_rule && !after.by_rule) || (!before.stranger_writes && after.stranger_writes);
}

function nameOf({ kind, link_type: type, field, operation }: AccessChange, text: Text): string {
  return `${kind ?? type ?? field ?? ''}, ${operationText(operation, text)}`;
}

type SameEffect = readonly [AccessChange, ...AccessChange[]];

/** The changes, with those of operations of one thing together whose rights become the same. */
function sameEffects(changes: readonly AccessChange[]): readonly SameEffect[] {
  const found = new Map<string, SameEffect>();
  for (const change of changes) {
    const effect = { ...change, operation: undefined };
    const key = JSON.stringify(effect);
    found.set(key, [...(found.get(key) ?? []), change] as unknown as SameEffect);
  }
  return [...found.values()];
}

function operationText(operation: string, text: Text): string {
  return text(`operation.${operation.replace('_access', '') as 'read'}`);
}

function whoText(right: AccessRight, text: Text): string {
  const who = text(`who.${right.who}`);
  return right.by_rule ? text('access.by_rule', { who }) : who;
}

interface ChangedSetting {
  readonly of: string;
  readonly id: string;
  readonly operation: string;
  readonly before: Setting;
  readonly after: Setting;
}

type Setting = Parameters<typeof settingText>[0];
type Settings = Readonly<Record<string, Setting>>;

/** The settings of definitions that change, before and after. */
function changedSettings({ definitions }: ChangeEffects): ChangedSetting[] {
  return definitions.flatMap(({ definition: of, id, change, access, read_access: read, write_access: write }) => {
    if (change !== 'changed') return [];
    const [before, after] = [settingsIn(access?.[0]), settingsIn(access?.[1])];
    const operations = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const own = operations
      .filter((operation) => JSON.stringify(before[operation]) !== JSON.stringify(after[operation]))
      .map((operation) => ({ of, id, operation, before: before[operation], after: after[operation] }));
    const ofFields = Object.entries({ read_access: read, write_access: write }).flatMap(([operation, versions]) => {
      const [was, is] = (versions ?? []) as (Setting | null)[];
      if (JSON.stringify(was) === JSON.stringify(is)) return [];
      return [{ of, id, operation, before: was ?? undefined, after: is ?? undefined }];
    });
    return [...own, ...ofFields];
  });
}

/** Settings that are too long are not told. */
function settingsIn(access: unknown): Settings {
  return typeof access === 'object' && access !== null ? (access as Settings) : {};
}
