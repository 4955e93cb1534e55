/** Shows what a change of definitions would do and lose, and makes it when that is confirmed. */
import { Alert, Button, Group, List, Modal, Stack } from '@mantine/core';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { AccessChanges } from '../access/access-changes.js';
import {
  tryDefinition,
  writeDefinition,
  type ChangeEffects,
  type DefinitionWrite,
  type TableStep,
} from '../api/definitions.js';
import type { Unit } from '../api/types.js';
import { useText, type Text } from '../i18n/text.js';
import { definitionName, settingLabels } from './setting-names.js';
import { StepList } from './step-list.js';
import { useForgetModel, useModel, type Model } from './use-model.js';

interface Trial {
  readonly write: DefinitionWrite;
  readonly effects: ChangeEffects;
}

interface Review {
  readonly isBusy: boolean;
  /** Asks the service what the change would do, and shows it. */
  readonly start: (write: DefinitionWrite) => Promise<void>;
  /** The dialog; null while there is nothing to review. */
  readonly dialog: React.ReactNode;
}

interface ReviewOptions {
  readonly onDone: (stored: Unit | null) => void;
  /** Gets the refusal of the trial, or of the change itself. */
  readonly onFault: (fault: unknown) => void | Promise<void>;
}

export function useReview({ onDone, onFault }: ReviewOptions): Review {
  const text = useText();
  const notify = useNotify();
  const forget = useForgetModel();
  const [trial, setTrial] = useState<Trial>();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await work();
    } catch (fault) {
      setTrial(undefined);
      await onFault(fault);
    } finally {
      setBusy(false);
    }
  };
  const start = (write: DefinitionWrite) => run(async () => setTrial({ write, effects: await tryDefinition(write) }));
  const confirm = ({ write, effects }: Trial) =>
    run(async () => {
      const stored = await writeDefinition(write, effects.losses.length > 0);
      setTrial(undefined);
      notify(text('model.saved'), { type: 'success' });
      onDone(stored);
      await forget();
    });
  const dialog = trial && (
    <ReviewDialog
      trial={trial}
      isBusy={isBusy}
      onConfirm={() => void confirm(trial)}
      onClose={() => setTrial(undefined)}
    />
  );
  return { isBusy, start, dialog };
}

interface ReviewDialogProps {
  readonly trial: Trial;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

function ReviewDialog({ trial: { write, effects }, isBusy, onConfirm, onClose }: ReviewDialogProps) {
  const text = useText();
  const { model } = useModel();
  const labels = settingLabels(text);
  const made = labelsIn(write.body);
  const { definitions, tables, losses, more_definitions: moreDefinitions, more_tables: moreTables } = effects;
  const loses = losses.length > 0;
  const [save, saveAndLose] =
    write.body === undefined
      ? (['model.delete', 'model.delete_and_lose'] as const)
      : (['model.save', 'model.save_and_lose'] as const);
  return (
    <Modal opened onClose={onClose} size="lg" title={text('model.review_title')}>
      <Stack>
        {loses && (
          <Alert color="red" title={text('model.lost')} role="alert">
            <List size="sm">
              {losses.map((loss) => (
                <List.Item key={JSON.stringify(loss)}>{lossText(loss, model, text)}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <AccessChanges effects={effects} />
        <StepList title={text('model.changed_definitions')}>
          {definitions.length === 0 && <List.Item>{text('model.no_change')}</List.Item>}
          {definitions.map(({ definition, id, change, was = '', settings = [] }) => (
            <List.Item key={`${definition} ${id} ${change}`}>
              {text(`change.${change}`, {
                what: text(`definition.${definition as 'kind'}`),
                name: definitionName(definition, change === 'renamed' ? was : id, model, made),
                was,
                id,
              })}
              {settings.length > 0 && ` (${settings.map((name) => labels.get(name) ?? name).join(', ')})`}
            </List.Item>
          ))}
          {moreDefinitions !== undefined && (
            <List.Item>{text('model.and_more', { smart_count: moreDefinitions })}</List.Item>
          )}
        </StepList>
        <StepList title={text('model.changed_tables')}>
          {tables.length === 0 && <List.Item>{text('model.no_change')}</List.Item>}
          {tables.map((step, at) => (
            <List.Item key={at}>{stepText(step, text)}</List.Item>
          ))}
          {moreTables !== undefined && <List.Item>{text('model.and_more', { smart_count: moreTables })}</List.Item>}
        </StepList>
        <Group justify="end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {text('app.cancel')}
          </Button>
          <Button loading={isBusy} {...(loses && { color: 'red' })} onClick={onConfirm}>
            {text(loses ? saveAndLose : save)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The labels of definitions that a body makes, by their ids. */
function labelsIn(body: object | undefined): ReadonlyMap<string, string> {
  const { parameters = [], ...own } = (body ?? {}) as {
    id?: unknown;
    label?: unknown;
    parameters?: readonly unknown[];
  };
  const made = [own, ...parameters].map((each) => (each ?? {}) as { id?: unknown; label?: unknown });
  return new Map(
    made.flatMap(({ id, label }) => (typeof id === 'string' && typeof label === 'string' ? [[id, label]] : [])),
  );
}

function lossText(loss: ChangeEffects['losses'][number], model: Model | undefined, text: Text): string {
  const { kind_id: kind, link_id: link, parameter, units, links, versions } = loss;
  const what = versions !== undefined ? 'versions' : units === undefined ? 'links' : 'units';
  const count = versions ?? units ?? links;
  const shown = typeof count === 'number' ? text(`loss.${what}`, { smart_count: count }) : text(`loss.some_${what}`);
  const of = kind === undefined ? definitionName('link', link ?? '', model) : definitionName('kind', kind, model);
  if (what === 'versions') return text('loss.of_history', { count: shown, of });
  return parameter === undefined
    ? text(link === undefined && what === 'links' ? 'loss.of_units' : 'loss.deleted', { count: shown, of })
    : text('loss.value', { count: shown, of, parameter: definitionName('parameter', parameter, model) });
}

function stepText(step: TableStep, text: Text): string {
  const {
    table = '',
    column = '',
    columns = [],
    type = '',
    index = '',
    target = '',
    constraint = '',
    check = '',
    sequence = '',
    to = '',
  } = step;
  const later = step.in_background === true ? text('step.later') : '';
  const values = {
    table,
    column,
    type,
    index,
    target,
    constraint,
    check,
    sequence,
    to,
    columns: columns.join(', '),
    later,
  };
  const name = step.step === 'create_index' && step.unique === true ? 'create_unique' : step.step;
  return text(`step.${name as 'create_table'}`, values);
}
