/** A kind, link type or group while it is edited. */
import type { Changes } from '../../../src/model/changes.js';
import { identifierFromLabel } from '../../../src/shared/identifiers.js';
import type { GroupDefinition, KindCheck, KindDefinition, LinkTypeDefinition } from '../api/definitions.js';
import { idOf, sentParameter, type ParameterDraft } from './parameter-drafts.js';
import { parameterOf } from './parameter-of.js';
import type { Model } from './use-model.js';

export type Edited = 'kind' | 'link' | 'group';

export interface Draft {
  readonly label: string;
  /** Of a new definition; undefined: made of the label. */
  readonly id: string | undefined;
  /** Of a stored definition: the id that it gets. */
  readonly rename_to: string | undefined;
  readonly active: boolean;
  readonly public: boolean;
  readonly remote: boolean;
  readonly parameters: readonly ParameterDraft[];
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  /** Null for those who may not see them. */
  readonly checks: readonly KindCheck[] | null;
  readonly changes: Changes;
  readonly history_keep: number | null;
  readonly description: string;
  readonly kind_list: readonly string[];
}

const SETTINGS = {
  kind: [
    'rename_to',
    'label',
    'active',
    'public',
    'remote',
    'parameters',
    'unique',
    'indexes',
    'checks',
    'changes',
    'history_keep',
  ],
  link: ['rename_to', 'label', 'parameters'],
  group: ['rename_to', 'label', 'description', 'kind_list'],
} as const satisfies Record<Edited, readonly (keyof Draft)[]>;

export function isEdited(name: string): name is Edited {
  return Object.hasOwn(SETTINGS, name);
}

export function settingsOfDraft(of: Edited): readonly string[] {
  return ['id', ...SETTINGS[of]];
}

export type Definition = KindDefinition | LinkTypeDefinition | GroupDefinition;

export function findDefinition(model: Model, of: Edited, id: string): Definition | undefined {
  return { kind: model.kinds, link: model.linkTypes, group: model.groups }[of].get(id);
}

export function draftOf(definition: Definition | undefined): Draft {
  const empty: Draft = {
    label: '',
    id: undefined,
    rename_to: undefined,
    active: true,
    public: false,
    remote: false,
    parameters: [],
    unique: [],
    indexes: [],
    checks: [],
    changes: 'none',
    history_keep: null,
    description: '',
    kind_list: [],
  };
  return definition ? { ...empty, ...(definition as Partial<Draft>), rename_to: definition.id } : empty;
}

/** The id of the definition; empty if the label gives none. */
export function ownerOf({ id, label }: Draft): string {
  return id ?? identifierFromLabel(label) ?? '';
}

/** What is sent: of a new definition everything that was given, otherwise what has changed. */
export function bodyOf(of: Edited, draft: Draft, before: Draft, isNew: boolean, model: Model): Record<string, unknown> {
  const changed = SETTINGS[of].filter((name) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]));
  const owner = ownerOf(draft);
  const values = changed.map((name): [string, unknown] => {
    if (name !== 'parameters') return [name, draft[name]];
    return [name, draft.parameters.map((each) => sentParameter(each, owner, model))];
  });
  return { ...(isNew && owner !== '' && { id: owner }), ...Object.fromEntries(values) };
}

/** The parameters that lists such as `unique` can name. */
export function listedParameters(
  draft: Draft,
  model: Model,
): readonly { readonly value: string; readonly label: string }[] {
  return draft.parameters.flatMap((each) => {
    const id = typeof each === 'string' ? each : idOf(each, ownerOf(draft), model);
    const label =
      typeof each === 'string' ? parameterOf(model, ownerOf(draft), each)?.label : String(each.inputs['label']);
    return id === '' ? [] : [{ value: id, label: label || id }];
  });
}
