/** The field of a code that was mailed, or that an app shows. */
import { TextInput } from '@mantine/core';
import { ApiError } from '../api/errors.js';
import type { FieldErrors } from '../data/faults.js';

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

/** The fault of the field `code`, if the service has refused what was typed there. */
export function codeFault(error: unknown): FieldErrors | undefined {
  return error instanceof ApiError && error.has('proof.wrong') ? { code: error.message } : undefined;
}
