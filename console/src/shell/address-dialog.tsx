/** Asks members whose project wants their address verified for that, and lets what was refused go on. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { session } from '../api/session.js';
import { useText } from '../i18n/text.js';
import { AddressForms } from '../sign-in/address-section.js';
import { HeldPage } from './held-page.js';
import { Waiting } from './page-states.js';
import { useAsking } from './use-asking.js';
import { useMe } from './use-me.js';

const whenUnverified = (ask: () => Promise<boolean>): void => session.onRefused('email.unverified', ask);

export function AddressDialog() {
  const text = useText();
  const end = useAsking(whenUnverified);
  return (
    <HeldPage isOpen={end !== undefined} title={text('address.held')} help={text('address.held_text')}>
      <Held onProved={end} />
    </HeldPage>
  );
}

interface HeldProps {
  /** Undefined while the dialog closes. */
  readonly onProved: ((isProved: boolean) => void) | undefined;
}

/** It may be proved in another tab too, by the link of the mail. */
function Held({ onProved }: HeldProps) {
  const queries = useQueryClient();
  const { data: me, isFetching } = useMe();
  const isProved = me !== undefined && !isFetching && me.email_verified_at !== null;
  useEffect(() => {
    if (!onProved || !isProved) return;
    onProved(true);
    // Until now the service has answered as to strangers.
    void queries.invalidateQueries();
  }, [isProved, onProved, queries]);
  if (!me) return <Waiting />;
  return <AddressForms me={me} />;
}
