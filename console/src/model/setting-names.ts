/** What the settings of definitions are called in forms, by their names in the API. */
import { PARAMETER_TYPES } from '../../../src/model/parameter-type/type-by-id.js';
import type { Labels } from '../data/faults.js';
import type { FieldType } from '../api/types.js';
import { fieldOfType } from '../fields/fields.js';
import type { Text } from '../i18n/text.js';
import { ALL_SETTINGS } from './parameter-settings.js';
import type { Model } from './use-model.js';

export function settingLabels(text: Text): Labels {
  return new Map<string, string>([
    ...ALL_SETTINGS.filter(({ id }) => id !== 'default').map(({ id }) => [id, text(`setting.${id}`)] as const),
    ...[...PARAMETER_TYPES.keys()].map((type) => [`default_${type}`, text('setting.default')] as const),
    ['id', text('model.id')],
    ['label', text('model.name')],
    ['kind_id', text('model.type')],
    ['active', text('model.active_label')],
    ['public', text('model.public_label')],
    ['remote', text('model.remote_label')],
    ['parameters', text('model.parameters')],
    ['indexes', text('model.indexes_label')],
    ['checks', text('model.checks_label')],
    ['changes', text('model.changes_label')],
    ['history_keep', text('model.history_keep_label')],
    ['description', text('model.description')],
    ['kind_list', text('model.kinds')],
    ['read_access', text('operation.read')],
    ['write_access', text('operation.write')],
    ['access', text('access.title')],
  ]);
}

/** A type as people call it, with its name in the API. */
export function typeName(type: FieldType): string {
  return `${fieldOfType(type).label} (${type})`;
}

/**
 * A definition by its label, with its id where that says something else.
 * @param made labels of those that are not in the model yet
 */
export function definitionName(
  of: string,
  id: string,
  model: Model | undefined,
  made: ReadonlyMap<string, string> = new Map(),
): string {
  const label = labelOf(of, id, model) ?? made.get(id);
  return label === undefined || label === id ? id : `${label} (${id})`;
}

function labelOf(of: string, id: string, model: Model | undefined): string | undefined {
  switch (of) {
    case 'kind':
      return model?.kinds.get(id)?.label;
    case 'group':
      return model?.groups.get(id)?.label;
    case 'link':
      return model?.linkTypes.get(id)?.label;
    default:
      return model?.parameters.get(id)?.label;
  }
}
