/** How the member that is signed in signs in. Each way is a section. */
import { Stack, Text as Paragraph, Title } from '@mantine/core';
import { PasswordForm } from '../members/password-form.js';
import { SessionList } from '../members/session-list.js';
import { useText } from '../i18n/text.js';
import { useMe } from '../shell/use-me.js';
import { AddressSection } from './address-section.js';
import { IdentitiesSection } from './identities-section.js';
import { LinkResult } from './link-result.js';
import { PasskeysSection } from './passkeys-section.js';
import { SecondStepSection } from './second-step-section.js';

export function SignInPage() {
  const text = useText();
  const { data: me } = useMe();
  return (
    <div className="page" style={{ overflow: 'auto' }}>
      <Title order={1} size="h3">
        {text('ways.title')}
      </Title>
      <Paragraph className="text-of-tenant">{me?.username}</Paragraph>
      <LinkResult />
      <Stack gap="xl" pb="xl">
        <SecondStepSection />
        {me && <PasskeysSection member={me.id} />}
        {me && <IdentitiesSection member={me.id} />}
        {me && <AddressSection me={me} />}
        <PasswordForm />
        <SessionList member={undefined} name={me?.username ?? ''} />
      </Stack>
    </div>
  );
}
