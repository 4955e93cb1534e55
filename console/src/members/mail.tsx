/** Mails with which members set a password, and whether such mails are sent at all. */
import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { areMailsSent } from '../api/members.js';
import { useText } from '../i18n/text.js';

/** For administrators: undefined as long as it is not known. */
export function useAreMailsSent(): boolean | undefined {
  return useQuery({ queryKey: ['mail'], queryFn: areMailsSent, retry: false }).data;
}

export function NoMailNotice() {
  const text = useText();
  if (useAreMailsSent() !== false) return null;
  return (
    <Alert color="yellow" variant="light">
      {text('members.no_mail')}
    </Alert>
  );
}
