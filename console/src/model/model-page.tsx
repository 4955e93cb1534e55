/** The model of the project, as a list or as a diagram. The address has what is shown. */
import { Alert, Group, SegmentedControl, Title } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useText } from '../i18n/text.js';
import { FindInput } from '../shell/find-input.js';
import { PageError, Waiting } from '../shell/page-states.js';
import { useAddress } from '../shell/use-address.js';
import { useRights } from '../shell/use-rights.js';
import { ModelList } from './model-list.js';
import { ModelFileButton } from './model-file.js';
import { useLockedModel } from './use-locked-model.js';
import { useModel } from './use-model.js';
import './model.css';

const ModelDiagram = lazy(async () => ({ default: (await import('./model-diagram.js')).ModelDiagram }));

export function ModelPage() {
  const text = useText();
  const { model, error, refetch } = useModel();
  const { administrator } = useRights();
  const isLocked = useLockedModel();
  const [parameters, setAddress] = useAddress();
  const [view, find] = ['view', 'find'].map((name) => parameters.get(name) ?? '');
  // The address follows what is typed, later on a busy machine; nothing typed may wait for it.
  const [typed, setTyped] = useState(find ?? '');
  return (
    <div className="page model-page">
      <Group justify="space-between">
        <Title order={1} size="h3">
          {text('model.title')}
        </Title>
        <Group gap="xs">
          {administrator === true && <ModelFileButton />}
          <FindInput
            label={text('model.find')}
            value={typed}
            onChange={(value) => {
              setTyped(value);
              setAddress({ find: value }, { replace: true });
            }}
          />
          <SegmentedControl
            size="xs"
            aria-label={text('model.view')}
            data={[
              { value: 'list', label: text('model.list') },
              { value: 'diagram', label: text('model.diagram') },
            ]}
            value={view === 'diagram' ? 'diagram' : 'list'}
            onChange={(value) => setAddress({ view: value === 'diagram' ? value : '' })}
          />
        </Group>
      </Group>
      {isLocked && <Alert color="gray">{text('model.locked')}</Alert>}
      {error && <PageError error={error} onRetry={() => void refetch()} />}
      {!model && !error && <Waiting />}
      {model && view !== 'diagram' && <ModelList model={model} find={find ?? ''} />}
      {model && view === 'diagram' && (
        <Suspense fallback={<Waiting />}>
          <ModelDiagram model={model} find={find ?? ''} />
        </Suspense>
      )}
    </div>
  );
}
