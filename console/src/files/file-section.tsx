/** The content of a file: shown, saved, replaced, and its address. */
import { Anchor, Button, CopyButton, FileButton, Group, Stack, Text as Paragraph, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/errors.js';
import { getFile, makeAddress, replaceContent, withQuery, type FileUnit } from '../api/files.js';
import { PART_BYTES } from '../api/sending.js';
import { UNITS } from '../data/source.js';
import { shownInstant } from '../fields/shown-time.js';
import { useText } from '../i18n/text.js';
import { ActionButton } from '../shell/action.js';
import { ContentConflict } from './content-conflict.js';
import { FilePreview } from './file-preview.js';
import { sizeText } from './file-size.js';
import { FileUses } from './file-uses.js';
import './files.css';
import { SendingRow } from './sending-row.js';
import { shownFileKey } from './shown-files.js';

interface FileSectionProps {
  readonly file: FileUnit;
  /** Why the content cannot be replaced; undefined if it can. */
  readonly refusal: string | undefined;
  /** Shows the file as it is now. */
  readonly onChanged: () => void;
}

export function FileSection({ file, refusal, onChanged }: FileSectionProps) {
  const text = useText();
  const { id, media_type: type, bytes, width, height } = file;
  const facts = [
    type,
    sizeText(bytes),
    ...(width !== null && height !== null ? [text('files.measures', { width, height })] : []),
  ];
  return (
    <Stack component="section" aria-label={text('files.content')} gap="xs" maw={720}>
      <FilePreview key={`${id} ${file.sha256 ?? ''} ${bytes}`} file={file} />
      <Paragraph size="sm" c="dimmed">
        {facts.join(' · ')}
      </Paragraph>
      <Group gap="xs" align="start">
        <DownloadButton id={id} />
        <ReplaceButton file={file} refusal={refusal} onChanged={onChanged} />
        {/* Another content has another address. */}
        <AddressButton key={file.sha256} id={id} />
      </Group>
      <FileUses id={id} />
    </Stack>
  );
}

/** Saves the content by an address, so that the browser does not keep it in memory. */
function DownloadButton({ id }: { readonly id: string }) {
  const text = useText();
  const notify = useNotify();
  const save = useMutation({
    mutationFn: () => makeAddress(id),
    onSuccess: ({ url }) => {
      const link = document.createElement('a');
      Object.assign(link, { href: withQuery(url, { download: 'true' }), download: '' }).click();
    },
    onError: (error) => notify(error.message, { type: 'error' }),
  });
  return (
    <Button size="xs" variant="default" loading={save.isPending} onClick={() => save.mutate()}>
      {text('files.download')}
    </Button>
  );
}

interface Replacement {
  readonly of: Pick<FileUnit, 'id' | 'sha256'>;
  readonly content: File;
}

function ReplaceButton({ file, refusal, onChanged }: FileSectionProps) {
  const text = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const reset = useRef<() => void>(null);
  const stopper = useRef<AbortController>(undefined);
  const [sent, setSent] = useState(0);
  const [theirs, setTheirs] = useState<FileUnit>();
  useEffect(() => () => stopper.current?.abort(), []);
  const show = async (): Promise<void> => {
    await queries.invalidateQueries({ queryKey: shownFileKey(file.id) });
    await queries.invalidateQueries({ queryKey: [UNITS] });
    onChanged();
  };
  const replace = useMutation({
    mutationFn: ({ of, content }: Replacement) => {
      stopper.current = new AbortController();
      setSent(0);
      return replaceContent(of, content, { onProgress: setSent, signal: stopper.current.signal });
    },
    onSuccess: async () => {
      setTheirs(undefined);
      notify(text('files.replaced'), { type: 'success' });
      await show();
    },
    onError: async (error) => {
      if (error instanceof ApiError && error.status === 412) {
        setTheirs(await getFile(file.id));
      }
    },
  });
  if (refusal !== undefined) {
    return (
      <ActionButton size="xs" variant="default" reason={refusal}>
        {text('files.replace')}
      </ActionButton>
    );
  }
  const choose = (content: File | null): void => {
    if (content) replace.mutate({ of: file, content });
    reset.current?.();
  };
  const mine = replace.variables?.content;
  return (
    <>
      <FileButton onChange={choose} resetRef={reset} inputProps={{ 'aria-label': text('files.replace_label') }}>
        {(props) => (
          <Button {...props} size="xs" variant="default" disabled={replace.isPending}>
            {text('files.replace')}
          </Button>
        )}
      </FileButton>
      {mine && replace.isPending && (
        <Stack gap={4} w="100%">
          <SendingRow name={mine.name} sent={sent} onStop={() => stopper.current?.abort()} />
          {mine.size > PART_BYTES && (
            <Paragraph size="xs" c="dimmed">
              {text('files.sent_whole')}
            </Paragraph>
          )}
        </Stack>
      )}
      {mine && replace.isError && !theirs && replace.error.name !== 'AbortError' && (
        <Group gap="xs" w="100%">
          <Paragraph size="sm" c="red" role="alert">
            {mine.name}: {replace.error.message}
          </Paragraph>
          <Button size="compact-xs" variant="subtle" onClick={() => replace.mutate(replace.variables)}>
            {text('app.retry')}
          </Button>
        </Group>
      )}
      {theirs && mine && (
        <ContentConflict
          mine={mine}
          theirs={theirs}
          onMine={() => replace.mutate({ of: theirs, content: mine })}
          onTheirs={() => {
            setTheirs(undefined);
            replace.reset();
            void show();
          }}
        />
      )}
    </>
  );
}

/** An address for pages and mails. */
function AddressButton({ id }: { readonly id: string }) {
  const text = useText();
  const notify = useNotify();
  const address = useMutation({
    mutationFn: () => makeAddress(id),
    onError: (error) => notify(error.message, { type: 'error' }),
  });
  const { data } = address;
  return (
    <>
      <Button size="xs" variant="default" loading={address.isPending} onClick={() => address.mutate()}>
        {text('files.address')}
      </Button>
      {data && (
        <Group gap="xs" align="end" w="100%">
          <TextInput
            readOnly
            flex={1}
            size="xs"
            label={text('files.address')}
            description={text('files.address_text', { end: shownInstant(data.expires_at) })}
            value={data.url}
            spellCheck={false}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <CopyButton value={data.url}>
            {({ copied, copy }) => (
              <Button size="xs" variant="default" onClick={copy}>
                {text(copied ? 'files.copied' : 'files.copy')}
              </Button>
            )}
          </CopyButton>
          <Anchor size="xs" href={data.url} target="_blank" rel="noopener" pb={6}>
            {text('files.open')}
          </Anchor>
        </Group>
      )}
    </>
  );
}
