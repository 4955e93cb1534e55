import { TextInput } from '@mantine/core';

interface FindInputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Finds something in what is shown, as it is typed. */
export function FindInput({ label, value, onChange }: FindInputProps) {
  return (
    <TextInput
      type="search"
      size="xs"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
