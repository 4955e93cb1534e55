/** The page of one definition, once the model is known. */
import type { ReactNode } from 'react';
import { useText } from '../i18n/text.js';
import { Empty, EmptyPage, PageError, Waiting } from '../shell/page-states.js';
import { useModel, type Model } from './use-model.js';

interface OfModelProps<T> {
  /** Undefined for a new definition. */
  readonly id: string | undefined;
  readonly find: (model: Model, id: string) => T | undefined;
  readonly children: (model: Model, definition: T | undefined) => ReactNode;
}

export function OfModel<T>({ id, find, children }: OfModelProps<T>) {
  const text = useText();
  const { model, error, refetch } = useModel();
  if (error) {
    return (
      <EmptyPage title={text('model.title')}>
        <PageError error={error} onRetry={() => void refetch()} />
      </EmptyPage>
    );
  }
  if (!model) return <Waiting />;
  const definition = id === undefined ? undefined : find(model, id);
  if (id !== undefined && !definition) {
    return (
      <EmptyPage title={id}>
        <Empty>{text('model.gone')}</Empty>
      </EmptyPage>
    );
  }
  return children(model, definition);
}
