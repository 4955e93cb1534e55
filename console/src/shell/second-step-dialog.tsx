/** Asks members whose project wants a second step of them to set one up, and lets what was refused go on. */
import { Alert, Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getSecondStep } from '../api/second-step.js';
import { session } from '../api/session.js';
import { useText } from '../i18n/text.js';
import { AddPasskey } from '../sign-in/passkeys-section.js';
import { SecondStepForms } from '../sign-in/second-step-section.js';
import { HeldPage } from './held-page.js';
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
  const { data } = useQuery({ queryKey, queryFn: getSecondStep, retry: false });
  const isSetUp = data !== undefined && (data.totp || data.passkeys > 0);
  const goOn = (): void => {
    onDone();
    // Until now the service has answered as to strangers.
    void queries.invalidateQueries();
  };
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
