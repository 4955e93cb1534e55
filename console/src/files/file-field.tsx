/** The field of a reference to a file in a form: what it refers to, another one by upload, drop or paste, or an existing one. */
import { Anchor, Button, FileButton, Group, Input, Stack, Text as Paragraph } from '@mantine/core';
import { useEffect, useId, useRef, useState, type ClipboardEvent, type ReactNode } from 'react';
import { Link } from 'react-router';
import { FILE_KIND } from '../../../src/model/built-in-traits.js';
import { discardUpload, uploadFile } from '../api/files.js';
import type { Begun } from '../api/sending.js';
import type { Field } from '../api/types.js';
import { addressOf } from '../data/grid-row.js';
import { ReferenceInput } from '../data/reference-input.js';
import { INCOMPLETE } from '../fields/console-field.js';
import { useText } from '../i18n/text.js';
import { useRights } from '../shell/use-rights.js';
import { filesOf, hasFiles, useDroppedFiles, useDropTarget } from './dropped.js';
import { sizeText } from './file-size.js';
import { FileThumb } from './file-thumb.js';
import './files.css';
import { SendingRow } from './sending-row.js';
import { useShownFile } from './shown-files.js';
import { notTakenText, takenFilter, takenText } from './taken.js';

interface FileFieldProps {
  readonly field: Field;
  /** The id of the file; `INCOMPLETE` while one is sent. */
  readonly value: unknown;
  readonly onChange: (value: string) => void;
  readonly label: string;
  readonly description: ReactNode;
  readonly withAsterisk: boolean;
  readonly error: string | undefined;
}

export function FileField({ field, value, onChange, label, description, withAsterisk, error }: FileFieldProps) {
  const text = useText();
  const labelId = useId();
  const mayUpload = useRights().to('create', FILE_KIND) !== 'none';
  const upload = useUpload(field, onChange);
  const [isChoosing, setChoosing] = useState(false);
  const id = typeof value === 'string' && value !== INCOMPLETE ? value : '';
  const take = ([first]: readonly File[]): void => {
    if (first && mayUpload) upload.start(first, id);
  };
  const { isOver, target } = useDropTarget(take);
  // Dropped beside it, a file would be opened in place of the page.
  useDroppedFiles(ignore);
  const onPaste = (event: ClipboardEvent): void => {
    if (!hasFiles(event.clipboardData)) return;
    event.preventDefault();
    take(filesOf(event.clipboardData));
  };
  const fault = upload.fault ?? error;
  const { sending } = upload;
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id: labelId }}
      description={description}
      withAsterisk={withAsterisk}
      error={fault}
      errorProps={{ role: 'alert' }}
    >
      <Stack
        gap="xs"
        mt={4}
        className="file-field"
        data-over={isOver && mayUpload}
        role="group"
        aria-labelledby={labelId}
        // A click on it is enough to paste.
        tabIndex={-1}
        onPaste={onPaste}
        {...target}
      >
        {sending ? (
          <SendingRow name={sending.name} sent={upload.sent} onStop={upload.stop} />
        ) : (
          <>
            {id !== '' && <ChosenFile id={id} />}
            <Group gap="xs">
              {mayUpload && (
                <FileButton
                  onChange={(chosen) => chosen && take([chosen])}
                  resetRef={upload.reset}
                  accept={field.accept?.join() ?? ''}
                  inputProps={{ 'aria-label': text('files.field_label', { name: label }) }}
                >
                  {(props) => (
                    <Button {...props} size="xs" variant="default">
                      {text('files.upload')}
                    </Button>
                  )}
                </FileButton>
              )}
              <Button size="xs" variant="default" aria-expanded={isChoosing} onClick={() => setChoosing(!isChoosing)}>
                {text('files.choose')}
              </Button>
              {id !== '' && (
                <Button size="xs" variant="subtle" onClick={() => onChange('')}>
                  {text('files.remove')}
                </Button>
              )}
            </Group>
            {isChoosing && (
              <ReferenceInput
                kind={FILE_KIND}
                filter={takenFilter(field)}
                ref={focusOn}
                aria-label={text('files.choose_label', { name: label })}
                value={id}
                onChange={(chosen) => {
                  onChange(chosen);
                  setChoosing(chosen === '');
                }}
              />
            )}
            <Paragraph size="xs" c="dimmed">
              {[mayUpload && text('files.field_empty'), takenText(field, text)].filter(Boolean).join(' ')}
            </Paragraph>
          </>
        )}
      </Stack>
    </Input.Wrapper>
  );
}

/** The same function for all, so that it is done when the input appears. */
function focusOn(input: HTMLElement | null): void {
  input?.focus();
}

function ignore(): void {
  // Nothing.
}

function ChosenFile({ id }: { readonly id: string }) {
  const text = useText();
  const file = useShownFile(id);
  if (file === null) return <Paragraph size="sm">{text('files.gone')}</Paragraph>;
  return (
    <Group gap="sm" wrap="nowrap">
      <FileThumb id={id} size="row" />
      <div className="text-of-tenant">
        <Anchor component={Link} size="sm" to={addressOf(FILE_KIND, id)}>
          {file?.name ?? id}
        </Anchor>
        <Paragraph size="xs" c="dimmed">
          {file ? `${file.media_type} · ${sizeText(file.bytes)}` : ' '}
        </Paragraph>
      </div>
    </Group>
  );
}

interface Sent {
  readonly name: string;
  /** The file that the field has until this one is there. */
  readonly before: string;
  readonly stopper: AbortController;
}

/** Sends one file, and gives its id to the form, which waits for it. */
function useUpload(field: Field, onChange: (value: string) => void) {
  const text = useText();
  const [sending, setSending] = useState<Sent>();
  const [sent, setSent] = useState(0);
  const [fault, setFault] = useState<string>();
  const reset = useRef<() => void>(null);
  const latest = useRef<AbortController>(undefined);
  useEffect(() => () => latest.current?.abort(), []);
  const start = (content: File, before: string): void => {
    // The same file may be chosen again.
    reset.current?.();
    const refused = notTakenText(field, content, text);
    setFault(refused);
    if (refused !== undefined) return;
    const stopper = new AbortController();
    latest.current = stopper;
    setSent(0);
    setSending({ name: content.name, before, stopper });
    onChange(INCOMPLETE);
    const end = (value: string, told?: string): void => {
      if (stopper.signal.aborted) return;
      setSending(undefined);
      setFault(told);
      onChange(value);
    };
    const begun: Begun = {};
    uploadFile(content, begun, { onProgress: setSent, signal: stopper.signal }).then(
      ({ id }) => end(id),
      (error: Error) => {
        void discardUpload(begun);
        end(before, `${content.name}: ${error.message}`);
      },
    );
  };
  const stop = (): void => {
    sending?.stopper.abort();
    setSending(undefined);
    onChange(sending?.before ?? '');
  };
  return { start, stop, sending, sent, fault, reset };
}
