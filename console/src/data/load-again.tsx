/** Loads a list again. It says how much of it has changed elsewhere, in the same place, so that nothing moves. */
import { Button, VisuallyHidden } from '@mantine/core';
import { MOST_UNITS } from '../api/units.js';
import { useText } from '../i18n/text.js';

interface LoadAgainProps {
  /** Units that are no longer as they are shown. */
  readonly changed: number;
  readonly isLoading: boolean;
  readonly onLoad: () => void;
}

/** As wide as the longest of its texts, in pixels. */
const WIDTH = 150;

export function LoadAgain({ changed, isLoading, onLoad }: LoadAgainProps) {
  const text = useText();
  const told = changed < MOST_UNITS ? text('grid.changed', { smart_count: changed }) : text('grid.changed_many');
  return (
    <>
      <Button
        size="xs"
        miw={WIDTH}
        px="xs"
        loading={isLoading}
        onClick={onLoad}
        variant={changed > 0 ? 'light' : 'default'}
        {...(changed > 0 && { title: text('grid.changed_help') })}
      >
        {changed > 0 ? told : text('grid.refresh')}
      </Button>
      {/* Said once, however often something changes. */}
      <VisuallyHidden role="status">{changed > 0 && text('grid.changed_help')}</VisuallyHidden>
    </>
  );
}
