/** Short messages about what was done, and whether the service can be reached. */
import { Affix, Alert, Notification, Stack } from '@mantine/core';
import { onlineManager } from '@tanstack/react-query';
import { useNotificationContext } from 'ra-core';
import { useEffect, useSyncExternalStore } from 'react';
import { useText } from '../i18n/text.js';

const SHOWN_MS = 6000;

export function Messages() {
  const text = useText();
  const { notifications, takeNotification } = useNotificationContext();
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  useEffect(() => {
    if (notifications.length === 0) return;
    const timer = setTimeout(takeNotification, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notifications, takeNotification]);
  return (
    <Affix position={{ bottom: 16, right: 16 }} maw={480}>
      <Stack gap="xs" role="status" aria-live="polite">
        {!isOnline && <Alert color="yellow">{text('app.offline')}</Alert>}
        {notifications.map(({ message, type }, at) => (
          <Notification
            key={at}
            className="message"
            // The region around it tells of it, faults at once.
            role={type === 'error' ? 'alert' : 'presentation'}
            color={type === 'error' ? 'red' : type === 'warning' ? 'yellow' : 'green'}
            onClose={takeNotification}
            closeButtonProps={{ 'aria-label': text('app.close') }}
          >
            {message}
          </Notification>
        ))}
      </Stack>
    </Affix>
  );
}
