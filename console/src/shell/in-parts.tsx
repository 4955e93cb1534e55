/** The first of many items; a button shows more of them. Rendering thousands at once takes a browser many seconds. */
import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useText } from '../i18n/text.js';

interface InPartsProps<Item> {
  readonly items: readonly Item[];
  /** How many are shown at first, and how many each click adds. */
  readonly size: number;
  readonly children: (shown: readonly Item[]) => ReactNode;
}

export function InParts<Item>({ items, size, children }: InPartsProps<Item>) {
  const text = useText();
  const [shown, setShown] = useState(size);
  const left = items.length - shown;
  return (
    <>
      {children(items.slice(0, shown))}
      {left > 0 && (
        <Button size="xs" variant="default" mt="xs" onClick={() => setShown(shown + size)}>
          {text('app.show_more', { count: Math.min(left, size), all: items.length })}
        </Button>
      )}
    </>
  );
}
