/**
 * Edits one value in the grid, with the keys of spreadsheets: Enter, Tab or leaving the cell stores it, Escape leaves it
 * as it was. What is refused is shown at the cell, which stays open.
 */
import { useRef, useState, type FocusEvent, type KeyboardEvent } from 'react';
import type { Field, Unit } from '../api/types.js';
import { InputError } from '../fields/console-field.js';
import { FieldControl, isChosen } from '../fields/field-control.js';
import { useCan, withNextValues } from './use-can.js';
import { valueOf } from '../fields/typed-value.js';
import { inputOf } from '../fields/values.js';
import { useText } from '../i18n/text.js';

/** Where the keyboard goes after an edit: rows and columns. */
export type Move = readonly [down: number, right: number];

interface CellEditorProps {
  readonly field: Field;
  readonly unit: Unit;
  /** What was typed on the cell, which replaces its value. */
  readonly typed: string | undefined;
  /** Answers what is wrong, if something is. */
  readonly onSave: (value: unknown) => Promise<string | undefined>;
  /** @param move undefined if the focus is elsewhere already */
  readonly onClose: (move?: Move) => void;
}

export function CellEditor({ field: given, unit, typed, onSave, onClose }: CellEditorProps) {
  const text = useText();
  const { can } = useCan(unit.kind_id, unit, [given]);
  const field = withNextValues(given, unit, can);
  const refusal = can?.update === false ? text('rights.no_update_unit') : undefined;
  const [before] = useState(() => inputOf(field, unit[field.id]));
  const [input, setInput] = useState(typed ?? before);
  const [fault, setFault] = useState<string>();
  // An input that disappears loses the focus: that stores nothing any more.
  const isBusy = useRef(false);
  const close = (move?: Move): void => {
    isBusy.current = true;
    onClose(move);
  };
  /** Stores the value; answers what is wrong, if something is. */
  const stored = async (value: unknown): Promise<string | undefined> => {
    try {
      return await onSave(valueOf(field, value, text));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return error.message;
    }
  };
  const store = async (move?: Move, value = input): Promise<void> => {
    if (isBusy.current) return;
    if (refusal !== undefined) return close(move);
    if (JSON.stringify(value) === JSON.stringify(before)) return close(move);
    isBusy.current = true;
    const refused = await stored(value);
    if (refused === undefined) return close(move);
    isBusy.current = false;
    setFault(refused);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // The keys of the grid do not work here.
    event.stopPropagation();
    if (event.key === 'Escape') {
      event.preventDefault();
      close([0, 0]);
      return;
    }
    // A list that is open takes Enter for itself.
    if (event.defaultPrevented || (event.shiftKey && event.key === 'Enter')) return;
    const moves: Readonly<Record<string, Move | undefined>> = {
      Enter: [1, 0],
      Tab: [0, event.shiftKey ? -1 : 1],
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    void store(move);
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    // Another window, or another part of the same control.
    if (!document.hasFocus() || (relatedTarget !== null && currentTarget.contains(relatedTarget))) return;
    void store();
  };
  return (
    <div onKeyDown={onKeyDown} onBlur={onBlur}>
      <FieldControl
        field={field}
        value={input}
        onChange={(value) => {
          setInput(value);
          // What is chosen from a list is chosen.
          if (isChosen(field)) void store([0, 0], value);
        }}
        error={fault ?? refusal}
        readOnly={refusal !== undefined}
        aria-label={text('grid.edit_cell', { name: field.label, unit: unit.id })}
        size="xs"
        inputRef={focusOnce}
      />
    </div>
  );
}

const focused = new WeakSet<HTMLElement>();

/** The same function for all, so that an input gets the focus only when it appears. */
function focusOnce(input: HTMLElement | null): void {
  if (!input || focused.has(input)) return;
  focused.add(input);
  input.focus({ preventScroll: true });
}
