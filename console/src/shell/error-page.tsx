import { Anchor, Container } from '@mantine/core';
import { Link, useRouteError } from 'react-router';
import { useText } from '../i18n/text.js';
import { Empty, EmptyPage, PageError } from './page-states.js';

/** Shown if the code of a page throws. */
export function ErrorPage() {
  const error = useRouteError();
  return (
    <Container p="xl" component="main">
      <PageError error={error} onRetry={() => location.reload()} />
    </Container>
  );
}

export function NotFoundPage() {
  const text = useText();
  return (
    <EmptyPage title={text('app.not_found')}>
      <Empty>
        <Anchor component={Link} to="/">
          {text('app.to_start')}
        </Anchor>
      </Empty>
    </EmptyPage>
  );
}
