/** The parameters of a kind or link type while it is edited: those of the project, and new ones. */
import { identifierFromLabel } from '../../../src/shared/identifiers.js';
import type { FieldType } from '../api/types.js';
import { changedSettings, inputsOf, type SettingInputs } from './parameter-settings.js';
import type { Model } from './use-model.js';

export interface NewParameter {
  readonly key: string;
  readonly type: FieldType;
  readonly inputs: SettingInputs;
  /** Undefined: made of the label. */
  readonly id: string | undefined;
}

/** The id of a parameter of the project, or a new one. */
export type ParameterDraft = string | NewParameter;

export function keyOf(draft: ParameterDraft): string {
  return typeof draft === 'string' ? draft : draft.key;
}

let made = 0;

export function newParameter(type: FieldType): NewParameter {
  made += 1;
  return { key: `new ${made}`, type, inputs: inputsOf(type), id: undefined };
}

/** The id that a new parameter gets: one that no other has, where the label is already one's name; empty if the label gives none. */
export function idOf({ id, inputs }: NewParameter, owner: string, model: Model): string {
  if (id !== undefined) return id;
  const wanted = identifierFromLabel(String(inputs['label'])) ?? '';
  const isFree = inputs['own'] === true || !model.parameters.has(wanted);
  return isFree || wanted === '' || owner === '' ? wanted : `${owner}_${wanted}`;
}

/** What is sent for a parameter in the list of its kind. */
export function sentParameter(draft: ParameterDraft, owner: string, model: Model): string | object {
  if (typeof draft === 'string') return draft;
  const id = idOf(draft, owner, model);
  return {
    ...(id !== '' && { id }),
    kind_id: draft.type,
    ...changedSettings(draft.type, inputsOf(draft.type), draft.inputs),
  };
}
