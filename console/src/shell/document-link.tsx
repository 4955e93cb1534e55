/** A link to the page of the API document, which opens the project with the session of this browser (docs/api-document.md). */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { session } from '../api/session.js';

/** The project is no secret; tokens are in no address. */
export function documentAddress(): string {
  return `../api/lib/doc/swaggerui#project=${encodeURIComponent(session.project)}`;
}

export function DocumentLink({ children }: { children: ReactNode }) {
  return (
    <Button component="a" size="xs" variant="default" href={documentAddress()} target="_blank" rel="noopener">
      {children}
    </Button>
  );
}
