/** Chooses a member, or requests without a token. */
import { Group, Select } from '@mantine/core';
import { ReferenceInput } from '../data/reference-input.js';
import { useText } from '../i18n/text.js';
import { useModel } from '../model/use-model.js';

/** The kind is empty for requests without a token, and the id until a member is chosen. */
export interface ChosenMember {
  readonly kind: string;
  readonly id: string;
}

export const STRANGER: ChosenMember = { kind: '', id: '' };
const ADMIN_KIND = 'kind_admin';

/** Undefined as long as no member is chosen; null for requests without a token. */
export function memberId({ kind, id }: ChosenMember): string | null | undefined {
  if (kind === '') return null;
  return id === '' ? undefined : id;
}

interface MemberInputProps {
  readonly value: ChosenMember;
  readonly onChange: (member: ChosenMember) => void;
}

export function MemberInput({ value, onChange }: MemberInputProps) {
  const text = useText();
  const { model } = useModel();
  const kinds = [...(model?.memberKinds ?? [])]
    .filter((id) => id !== ADMIN_KIND)
    .map((id) => ({ value: id, label: model?.kinds.get(id)?.label ?? id }));
  const reference = { label: text('access.member') };
  return (
    <Group align="end" gap="xs">
      <Select
        label={text('access.who')}
        w={300}
        maw="100%"
        allowDeselect={false}
        data={[
          { value: '', label: text('access.no_token') },
          ...kinds,
          { value: ADMIN_KIND, label: text('access.an_administrator') },
        ]}
        value={value.kind}
        onChange={(kind) => onChange({ kind: kind ?? '', id: '' })}
      />
      {value.kind !== '' && (
        <ReferenceInput
          key={value.kind}
          {...reference}
          kind={value.kind}
          value={value.id}
          onChange={(id) => onChange({ ...value, id })}
        />
      )}
    </Group>
  );
}
