/** The model as a file: it is downloaded, and another one is planned and applied. */
import {
  Alert,
  Button,
  Checkbox,
  FileInput,
  Group,
  List,
  Modal,
  Stack,
  Text as Paragraph,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import {
  applyModel,
  downloadModel,
  planModel,
  type ModelFile,
  type ModelPlan,
  type ModelStep,
} from '../api/model-file.js';
import { session } from '../api/session.js';
import { pickFile, saveFile } from '../data/transfer/save-file.js';
import { useText, type Text } from '../i18n/text.js';
import { useAttempt } from '../shell/use-attempt.js';
import { StepList } from './step-list.js';
import { useForgetModel } from './use-model.js';

/** Of administrators: no one else reads or changes the model as a file. */
export function ModelFileButton() {
  const text = useText();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {text('model_file.button')}
      </Button>
      {isOpen && <ModelFileDialog onClose={close} />}
    </>
  );
}

interface Planned {
  readonly file: ModelFile;
  readonly plan: ModelPlan;
}

function ModelFileDialog({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const notify = useNotify();
  const forget = useForgetModel();
  const { run, isBusy, fault, clear } = useAttempt();
  const [planned, setPlanned] = useState<Planned>();
  const [allowed, setAllowed] = useState<ReadonlySet<string>>(new Set());
  const download = (): void => {
    const name = `${session.project}.model.yaml`;
    void pickFile(name)
      .then((handle) => run(async () => saveFile(await downloadModel(), name, handle)))
      // Nobody has chosen where.
      .catch(() => undefined);
  };
  const plan = (chosen: File | null): void => {
    setPlanned(undefined);
    setAllowed(new Set());
    clear();
    if (!chosen) return;
    // What is on the disk may change while the plan is read.
    void run(async () => {
      const file = new Blob([await chosen.arrayBuffer()], { type: chosen.type });
      setPlanned({ file, plan: await planModel(file) });
    });
  };
  const apply = ({ file, plan: { version } }: Planned): void => {
    void run(async () => {
      const names = [...allowed];
      await applyModel(file, { loss: names, open: names, version });
      notify(text('model.saved'), { type: 'success' });
      onClose();
      await forget();
    });
  };
  const steps = planned?.plan.steps ?? [];
  const isPossible = steps.every((step) => !step.refused && (!asks(step) || allowed.has(step.name)));
  return (
    <Modal opened onClose={onClose} size="lg" title={text('model_file.title')} closeOnClickOutside={!isBusy}>
      <Stack>
        <Paragraph size="sm">{text('model_file.about')}</Paragraph>
        <Group>
          <Button variant="default" onClick={download}>
            {text('model_file.download')}
          </Button>
        </Group>
        <FileInput
          label={text('model_file.file')}
          description={text('model_file.file_help')}
          placeholder={text('import.choose')}
          accept=".yaml,.yml,.json"
          clearable
          clearButtonProps={{ 'aria-label': text('import.clear') }}
          disabled={isBusy}
          onChange={plan}
        />
        <div aria-live="polite">
          {fault && (
            <Alert color={fault.color} style={{ whiteSpace: 'pre-line' }}>
              {fault.text}
            </Alert>
          )}
          {planned?.plan.state === 'equal' && <Paragraph size="sm">{text('model_file.equal')}</Paragraph>}
        </div>
        {planned && steps.length > 0 && (
          <>
            <Steps
              steps={steps}
              allowed={allowed}
              onAllow={(name, is) =>
                setAllowed((now) => new Set(is ? [...now, name] : [...now].filter((each) => each !== name)))
              }
            />
            <Breaks texts={planned.plan.breaks} />
            <Group justify="end">
              <Button variant="default" onClick={onClose}>
                {text('app.cancel')}
              </Button>
              <Button
                loading={isBusy}
                disabled={!isPossible}
                {...(allowed.size > 0 && { color: 'red' })}
                onClick={() => apply(planned)}
              >
                {text('model_file.apply')}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Modal>
  );
}

interface StepsProps {
  readonly steps: readonly ModelStep[];
  readonly allowed: ReadonlySet<string>;
  readonly onAllow: (name: string, is: boolean) => void;
}

function Steps({ steps, allowed, onAllow }: StepsProps) {
  const text = useText();
  return (
    <StepList title={text('model.review_title')}>
      {steps.map((step) => (
        <List.Item key={`${step.change} ${step.name}`}>
          {text(`model_file.${step.change}`, { name: step.name, was: step.was ?? '' })}
          {notesOf(step, text).map((note) => ` · ${note}`)}
          {step.refused && (
            <Paragraph size="sm" c="red">
              {text('model_file.refused', {
                smart_count: step.refused.number,
                ids: step.refused.ids.join(', '),
              })}
            </Paragraph>
          )}
          {!step.refused && asks(step) && (
            <Checkbox
              size="xs"
              color="red"
              checked={allowed.has(step.name)}
              label={
                <>
                  {dangersOf(step, text).join(' ')}
                  <VisuallyHidden> ({step.name})</VisuallyHidden>
                </>
              }
              onChange={({ currentTarget }) => onAllow(step.name, currentTarget.checked)}
            />
          )}
        </List.Item>
      ))}
    </StepList>
  );
}

function Breaks({ texts }: { readonly texts: readonly string[] }) {
  const text = useText();
  if (texts.length === 0) return null;
  return (
    <StepList title={text('model_file.breaks')}>
      {texts.map((each) => (
        <List.Item key={each}>{each}</List.Item>
      ))}
    </StepList>
  );
}

/** Whether a step is done only where somebody says that it is meant. */
function asks({ loses = 0, opens = [] }: ModelStep): boolean {
  return loses > 0 || opens.length > 0;
}

function dangersOf({ loses = 0, opens = [] }: ModelStep, text: Text): string[] {
  const who = [...new Set(opens.map((each) => each.who))].join(', ');
  return [
    ...(loses > 0 ? [text('model_file.loses', { smart_count: loses })] : []),
    ...(opens.length > 0 ? [text('model_file.opens', { who })] : []),
  ];
}

function notesOf({ units, estimated }: ModelStep, text: Text): string[] {
  return [
    ...(units === undefined ? [] : [text('loss.units', { smart_count: units })]),
    ...(estimated ? [text('model_file.estimated')] : []),
  ];
}
