import { ApiError } from '../api/errors.js';
import { useText } from '../i18n/text.js';
import { Empty, PageError } from '../shell/page-states.js';

/** Why access cannot be shown; who is no administrator is told so. */
export function AccessFault({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  const text = useText();
  if (!error) return null;
  if (error instanceof ApiError && error.status === 403) return <Empty>{text('access.administrators')}</Empty>;
  return <PageError error={error} onRetry={onRetry} />;
}
