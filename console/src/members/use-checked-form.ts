/** A form that is checked before it is sent, and shows what the service refuses at its fields. */
import { useState, type FormEvent } from 'react';
import { faultsOf, type FieldErrors } from '../data/faults.js';
import { useText } from '../i18n/text.js';
import { useFaultFocus } from '../shell/use-fault-focus.js';

interface CheckedForm {
  /** The faults of what is typed, by field; none if it can be sent. */
  readonly check: () => FieldErrors;
  readonly send: () => Promise<void>;
  /** The fields whose faults have a place of their own. */
  readonly fields: readonly { readonly id: string; readonly label: string }[];
  /** The faults of a refusal; by default those of its messages. */
  readonly faultsOfError?: (error: unknown) => FieldErrors | undefined;
}

const NONE: FieldErrors = {};

export function useCheckedForm({ check, send, fields, faultsOfError }: CheckedForm) {
  const text = useText();
  const [faults, setFaults] = useState(NONE);
  const [isBusy, setBusy] = useState(false);
  const form = useFaultFocus<HTMLFormElement>(Object.keys(faults).length > 0 ? faults : undefined);
  const run = async (): Promise<void> => {
    const wrong = check();
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    try {
      await send();
    } catch (error) {
      setFaults(faultsOfError?.(error) ?? faultsOf(error, fields, text));
    } finally {
      setBusy(false);
    }
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void run();
  };
  return { form, faults, isBusy, onSubmit };
}
