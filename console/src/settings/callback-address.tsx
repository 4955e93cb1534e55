/** The address that is registered at an identity provider, to copy. */
import { Button, CopyButton, Group, TextInput } from '@mantine/core';
import { callbackOf } from '../api/providers.js';
import { useText } from '../i18n/text.js';

/** @param id undefined for a provider that is not there yet */
export function CallbackAddress({ id }: { readonly id: string | undefined }) {
  const text = useText();
  const address = callbackOf(id ?? 'ID');
  return (
    <Group align="end" maw={720}>
      <TextInput
        readOnly
        flex={1}
        label={text('providers.callback')}
        description={text(id === undefined ? 'providers.callback_help' : 'providers.callback_stored')}
        value={address}
        spellCheck={false}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      {id !== undefined && (
        <CopyButton value={address}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {text(copied ? 'keys.copied' : 'providers.copy')}
            </Button>
          )}
        </CopyButton>
      )}
    </Group>
  );
}
