/** The field of a code that was mailed, or that an app shows. */
import { TextInput } from '@mantine/core';

interface CodeInputProps {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onChange: (code: string) => void;
}

export function CodeInput({ label, description, value, fault, onChange }: CodeInputProps) {
  return (
    <TextInput
      label={label}
      description={description}
      inputMode="numeric"
      autoComplete="one-time-code"
      value={value}
      error={fault}
      aria-invalid={fault !== undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
