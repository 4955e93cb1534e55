/** The button that uploads files, which may also be dropped on the page or pasted. */
import { Button, FileButton, Text as Paragraph } from '@mantine/core';
import { useCallback, useRef } from 'react';
import { useText } from '../i18n/text.js';
import { ActionButton } from '../shell/action.js';
import { useDroppedFiles, usePastedFiles } from './dropped.js';
import './files.css';
import { uploads } from './upload-queue.js';

interface UploadButtonProps {
  /** Why nothing can be uploaded; undefined if something can. */
  readonly reason: string | undefined;
  readonly isLarge?: boolean;
}

export function UploadButton({ reason, isLarge = false }: UploadButtonProps) {
  const text = useText();
  const reset = useRef<() => void>(null);
  const size = isLarge ? 'sm' : 'xs';
  const add = (files: readonly File[]): void => {
    uploads.add(files);
    // The same file may be chosen again.
    reset.current?.();
  };
  if (reason !== undefined) {
    return (
      <ActionButton size={size} reason={reason}>
        {text('files.upload')}
      </ActionButton>
    );
  }
  return (
    <FileButton multiple onChange={add} resetRef={reset} inputProps={{ 'aria-label': text('files.upload_label') }}>
      {(props) => (
        <Button {...props} size={size}>
          {text('files.upload')}
        </Button>
      )}
    </FileButton>
  );
}

/** Takes files that are dropped on the page, or pasted, and says so while some are held over it. */
export function DropPage({ isPossible }: { readonly isPossible: boolean }) {
  const text = useText();
  const add = useCallback((files: readonly File[]) => uploads.add(files), []);
  usePastedFiles(isPossible ? add : undefined);
  const isOver = useDroppedFiles(isPossible ? add : undefined);
  return (
    isOver && (
      <div className="drop-page">
        <Paragraph size="lg" fw={600}>
          {text('files.drop')}
        </Paragraph>
      </div>
    )
  );
}
