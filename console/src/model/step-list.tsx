/** What a change would do, as a list with a heading. */
import { List, Text as Paragraph } from '@mantine/core';
import type { ReactNode } from 'react';

export function StepList({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Paragraph fw={600} size="sm">
        {title}
      </Paragraph>
      <List size="sm" className="model-steps">
        {children}
      </List>
    </section>
  );
}
