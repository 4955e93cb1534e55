/** Asks members whose project wants a second step of them to set one up, or to use theirs, and lets what was refused go on. */
import { Alert, Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { getSecondStep } from '../api/second-step.js';
import { session } from '../api/session.js';
import { useText } from '../i18n/text.js';
import { AddPasskey } from '../sign-in/passkeys-section.js';
import { SecondStepForms } from '../sign-in/second-step-section.js';
import { HeldPage } from './held-page.js';
import { ProofForm } from './proof-dialog.js';
import { useAsking } from './use-asking.js';

const whenMissing = (ask: () => Promise<boolean>): void => session.onRefused('second_step.missing', ask);

export function SecondStepDialog() {
  const text = useText();
  const end = useAsking(whenMissing);
  return (
    <HeldPage isOpen={end !== undefined} title={text('ways.held')} help={text('ways.held_text')}>
      <Held onDone={() => end?.(true)} />
    </HeldPage>
  );
}

function Held({ onDone }: { readonly onDone: () => void }) {
  const text = useText();
  const queries = useQueryClient();
  const queryKey = ['second-step'];
  const { data, isFetchedAfterMount } = useQuery({ queryKey, queryFn: getSecondStep, retry: false, staleTime: 0 });
  const isSetUp = data !== undefined && (data.totp || data.passkeys > 0);
  const [hadOne, setHadOne] = useState<boolean>();
  if (isFetchedAfterMount && hadOne === undefined) setHadOne(isSetUp);
  const goOn = (): void => {
    onDone();
    // Until now the service has answered as to strangers.
    void queries.invalidateQueries();
  };
  // The session began without it.
  if (hadOne) return <ProofForm why={text('ways.held_unused')} onProved={goOn} />;
  return (
    <>
      {isSetUp ? (
        <>
          <Alert color="green" role="status">
            {text('ways.is_set_up')}
          </Alert>
          <Group>
            <Button onClick={goOn} data-autofocus>
              {text('proof.submit')}
            </Button>
          </Group>
        </>
      ) : (
        <Group>
          <AddPasskey onAdded={() => queries.invalidateQueries({ queryKey })} />
        </Group>
      )}
      {/* It stays: the recovery codes of an app that was set up are shown by it. */}
      <SecondStepForms isBrief />
    </>
  );
}
