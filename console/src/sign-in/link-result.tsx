/** What came of linking an account: its provider has led back to this page. It stays in sight until the page is left. */
import { Alert } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError } from '../api/errors.js';
import { linkArrived } from '../api/providers.js';
import { useText, type Text } from '../i18n/text.js';
import { arrivalText } from '../shell/fault-text.js';
import { useArrival } from '../shell/use-arrival.js';

export function LinkResult() {
  const text = useText();
  const queries = useQueryClient();
  const arrival = useArrival('link');
  const { mutate, isSuccess, error } = useMutation({
    mutationFn: linkArrived,
    onSuccess: async () => {
      // A session at the provider begins another one here for a moment.
      for (const name of ['identities', 'sessions']) await queries.invalidateQueries({ queryKey: [name] });
    },
  });
  useEffect(() => {
    if (arrival && 'code' in arrival) mutate(arrival);
  }, [arrival, mutate]);
  if (!arrival) return null;
  const fault = 'error' in arrival ? arrivalText(arrival.error, text) : error && refusalText(error, text);
  const label = 'code' in arrival ? arrival.label : '';
  return (
    <div role="status" className="text-of-tenant">
      {fault ? (
        <Alert color="red" title={arrival.purpose && text('providers.not_done')}>
          {fault}
        </Alert>
      ) : (
        <Alert color={isSuccess ? 'green' : 'blue'}>
          {text(isSuccess ? 'providers.was_linked' : 'providers.is_linking', { label })}
        </Alert>
      )}
    </div>
  );
}

function refusalText(error: Error, text: Text): string {
  // The service tells strangers as little of a code as of a password.
  return error instanceof ApiError && error.has('signin.failed') ? text('providers.too_late') : error.message;
}
