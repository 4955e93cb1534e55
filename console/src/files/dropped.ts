/** Files that come by drop or paste: what of them can be uploaded. */
import { useEffect, useState, type DragEvent as ReactDragEvent } from 'react';

type Carried = Pick<DataTransfer, 'items' | 'files' | 'types'>;

export function hasFiles(carried: Carried | null): carried is Carried {
  return carried?.types.includes('Files') === true;
}

/** Without folders, which a browser shows as files without content. */
export function filesOf({ items, files }: Carried): readonly File[] {
  const held = [...items].filter(({ kind }) => kind === 'file');
  const contents = held.flatMap((item) =>
    item.webkitGetAsEntry()?.isDirectory === true ? [] : (item.getAsFile() ?? []),
  );
  return held.length > 0 ? contents : [...files];
}

/** Files that are pasted outside of inputs and dialogs. */
export function usePastedFiles(onFiles: ((files: readonly File[]) => void) | undefined): void {
  useEffect(() => {
    if (!onFiles) return undefined;
    const onPaste = (event: ClipboardEvent): void => {
      if ((event.target as HTMLElement).closest('[role=dialog]') || !hasFiles(event.clipboardData)) return;
      event.preventDefault();
      onFiles(filesOf(event.clipboardData));
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, [onFiles]);
}

/** Files that are dropped anywhere on the page. Answers whether some are held over it. */
export function useDroppedFiles(onFiles: ((files: readonly File[]) => void) | undefined): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!onFiles) return undefined;
    const onOver = (event: DragEvent): void => {
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = ({ relatedTarget }: DragEvent): void => {
      // Into another element of the page.
      if (relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent): void => {
      setOver(false);
      if (!hasFiles(event.dataTransfer)) return;
      event.preventDefault();
      onFiles(filesOf(event.dataTransfer));
    };
    document.addEventListener('dragover', onOver);
    document.addEventListener('dragleave', onLeave);
    document.addEventListener('drop', onDrop);
    return () => {
      document.removeEventListener('dragover', onOver);
      document.removeEventListener('dragleave', onLeave);
      document.removeEventListener('drop', onDrop);
    };
  }, [onFiles]);
  return isOver;
}

/** The same for one element, such as a field of a form, in place of the page. */
export function useDropTarget(onFiles: (files: readonly File[]) => void) {
  const [isOver, setOver] = useState(false);
  const of = (work: (carried: Carried) => void) => (event: ReactDragEvent) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.stopPropagation();
    work(event.dataTransfer);
  };
  return {
    isOver,
    target: {
      onDragOver: of(() => setOver(true)),
      onDragLeave: ({ currentTarget, relatedTarget }: ReactDragEvent) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
      },
      onDrop: of((carried) => {
        setOver(false);
        onFiles(filesOf(carried));
      }),
    },
  };
}
