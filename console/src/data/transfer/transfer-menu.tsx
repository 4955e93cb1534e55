/** Import, export and paste of units; loaded when they are used. */
import { Button, Menu } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Field } from '../../api/types.js';
import { useText } from '../../i18n/text.js';
import { ActionItem } from '../../shell/action.js';
import { useRefusal } from '../use-refusal.js';

const ImportUnits = lazy(async () => ({ default: (await import('./import-units.js')).ImportUnits }));
const ExportUnits = lazy(async () => ({ default: (await import('./export-units.js')).ExportUnits }));
const PasteUnits = lazy(async () => ({ default: (await import('./paste-units.js')).PasteUnits }));

interface TransferMenuProps {
  readonly kind: string;
  readonly fields: readonly Field[];
  readonly shown: readonly Field[];
  readonly filter: string;
  readonly search: string;
  readonly order: string;
  /** Files are uploaded, and neither imported nor pasted as text. */
  readonly isExportOnly: boolean;
}

export function TransferMenu({ kind, fields, shown, filter, search, order, isExportOnly }: TransferMenuProps) {
  const text = useText();
  const [open, setOpen] = useState<'import' | 'export' | { readonly pasted: string }>();
  const close = () => setOpen(undefined);
  const refusal = useRefusal()('create', [kind]);
  useEffect(() => {
    if (refusal !== undefined || isExportOnly) return undefined;
    const onPaste = (event: ClipboardEvent): void => {
      const target = event.target as HTMLElement;
      if (target.closest('input, textarea, [role=dialog]')) return;
      const pasted = event.clipboardData?.getData('text/plain') ?? '';
      if (pasted.trim() !== '') setOpen({ pasted });
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, [refusal, isExportOnly]);
  return (
    <>
      {isExportOnly ? (
        <Button size="xs" variant="default" onClick={() => setOpen('export')}>
          {text('export.title')}
        </Button>
      ) : (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button size="xs" variant="default">
              {text('transfer.menu')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <ActionItem reason={refusal} onClick={() => setOpen('import')}>
              {text('import.title')}
            </ActionItem>
            <Menu.Item onClick={() => setOpen('export')}>{text('export.title')}</Menu.Item>
            <ActionItem reason={refusal} onClick={() => setOpen({ pasted: '' })}>
              {text('paste.title')}
            </ActionItem>
          </Menu.Dropdown>
        </Menu>
      )}
      <Suspense>
        {open === 'import' && <ImportUnits kind={kind} fields={fields} onClose={close} />}
        {open === 'export' && (
          <ExportUnits
            kind={kind}
            filter={filter}
            search={search}
            order={order}
            columns={shown.length < fields.length ? shown : undefined}
            onClose={close}
          />
        )}
        {typeof open === 'object' && <PasteUnits kind={kind} fields={shown} pasted={open.pasted} onClose={close} />}
      </Suspense>
    </>
  );
}
