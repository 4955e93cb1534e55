import { Button, Title } from '@mantine/core';
import { Link } from 'react-router';
import { useKinds } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { Empty } from './page-states.js';

export function StartPage() {
  const text = useText();
  const { own, isPending } = useKinds();
  return (
    <div className="page">
      <Title order={1} size="h3">
        {text('start.title')}
      </Title>
      {!isPending && (
        <Empty>
          {text(own.length === 0 ? 'start.empty' : 'start.pick')}
          <Button component={Link} to="/model/kind/new" variant={own.length === 0 ? 'filled' : 'default'}>
            {text('model.new_kind')}
          </Button>
        </Empty>
      )}
    </div>
  );
}
