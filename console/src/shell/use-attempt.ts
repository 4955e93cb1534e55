/** Does what a person asks for by a form: whether it is under way, and why it was refused. */
import { useState } from 'react';
import { useText } from '../i18n/text.js';
import { faultText } from './fault-text.js';

/** @param known what was refused before the form is there */
export function useAttempt(known?: string) {
  const text = useText();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState(known);
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      await work();
    } catch (error) {
      setFault(faultText(error, text));
    } finally {
      setBusy(false);
    }
  };
  return { run, isBusy, fault, setFault };
}
