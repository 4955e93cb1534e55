/** Chooses who may do something: a level, or rules, with what is wrong with each. */
import { Button, Group, Radio, Stack, Textarea } from '@mantine/core';
import { useText } from '../i18n/text.js';
import { CHOICES, placeOf, type Draft, type SettingFaults } from './edited-access.js';
import type { AccessOf } from './addresses.js';

interface SettingInputProps {
  readonly of: AccessOf;
  readonly label: string;
  readonly draft: Draft;
  readonly faults: SettingFaults;
  readonly onChange: (draft: Draft) => void;
}

export function SettingInput({ of, label, draft, faults, onChange }: SettingInputProps) {
  const text = useText();
  const { who, rules } = draft;
  const change = (at: number, rule: string): void => onChange({ ...draft, rules: rules.with(at, rule) });
  return (
    <Stack>
      <Radio.Group label={label} value={who} onChange={(value) => onChange({ ...draft, who: value })}>
        <Stack gap="xs" mt="xs">
          {CHOICES.map((choice) => (
            <Radio
              key={choice}
              value={choice}
              label={text(choice === 'default' ? `access.choose_default_${of}` : `access.choose_${choice}`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      {who === 'rules' && (
        <Stack gap="xs">
          {rules.map((rule, at) => (
            <RuleInput
              key={at}
              label={text('access.rule', { number: at + 1 })}
              description={at === 0 ? text(`access.rule_help_${of}`) : undefined}
              rule={rule}
              fault={faults.rules.get(at)}
              onChange={(next) => change(at, next)}
              onRemove={
                rules.length > 1
                  ? () => onChange({ ...draft, rules: rules.filter((_, each) => each !== at) })
                  : undefined
              }
            />
          ))}
          <Group>
            <Button size="xs" variant="default" onClick={() => onChange({ ...draft, rules: [...rules, ''] })}>
              {text('access.add_rule')}
            </Button>
          </Group>
        </Stack>
      )}
    </Stack>
  );
}

interface RuleInputProps {
  readonly label: string;
  readonly description: string | undefined;
  readonly rule: string;
  readonly fault: string | undefined;
  readonly onChange: (rule: string) => void;
  readonly onRemove: (() => void) | undefined;
}

function RuleInput({ label, description, rule, fault, onChange, onRemove }: RuleInputProps) {
  const text = useText();
  const place = fault === undefined ? undefined : placeOf(fault);
  return (
    <div>
      <Group align="end" gap="xs" wrap="nowrap">
        <Textarea
          className="access-rule"
          label={label}
          description={description}
          error={fault}
          value={rule}
          autosize
          spellCheck={false}
          autoCapitalize="none"
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        {onRemove && (
          <Button size="xs" variant="default" onClick={onRemove} aria-label={text('access.remove_rule', { label })}>
            ×
          </Button>
        )}
      </Group>
      {place !== undefined && (
        <code className="access-place" aria-hidden>
          {rule.slice(0, place)}
          <mark>{rule.slice(place, place + 1) || ' '}</mark>
          {rule.slice(place + 1)}
        </code>
      )}
    </div>
  );
}
