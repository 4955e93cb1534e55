/** Does what a person asks for by a form: whether it is under way, and why it was not done. */
import { useState } from 'react';
import { useText } from '../i18n/text.js';
import { faultText, isCancelled } from './fault-text.js';

interface Fault {
  readonly text: string;
  readonly color: 'red' | 'gray';
}

/** @param known what was refused before the form is there */
export function useAttempt(known?: string) {
  const text = useText();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault | undefined>(
    known === undefined ? undefined : { text: known, color: 'red' },
  );
  const fail = (error: unknown): void =>
    setFault({ text: faultText(error, text), color: isCancelled(error) ? 'gray' : 'red' });
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      await work();
    } catch (error) {
      fail(error);
    } finally {
      setBusy(false);
    }
  };
  return { run, isBusy, fault, fail, clear: () => setFault(undefined) };
}
