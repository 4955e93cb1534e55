import { madeWords, withMadeDefault } from '../../../src/model/made-default.js';
import type { Json } from '../../../src/shared/json.js';
import type { ParameterDefinition } from '../api/definitions.js';
import type { Field, Limits } from '../api/types.js';

/** The field of a form for values of a parameter, as a struct describes it, with its limits. */
export function fieldOf(definition: FieldSettings): Field {
  const { id, label, kind_id: type, helper_text: help, required, multiple, reference_kind: target } = definition;
  const number = (name: string) => (typeof definition[name] === 'number' ? definition[name] : null);
  const values = definition['values'];
  const given = (definition[`default_${type}`] ?? null) as Json;
  const { default: value, made } = withMadeDefault({ type, multiple: multiple === true, default: given });
  const told = madeWords({ made, sequence: definition['sequence'] === true });
  const words = [help, told].filter((text) => typeof text === 'string').join(' ');
  return {
    id,
    label,
    type,
    default: value,
    helper_text: words === '' ? null : words,
    required: required === true,
    multiple: multiple === true,
    strip: definition['strip'] === true,
    min_length: number('min_length'),
    max_length: number('max_length'),
    values: Array.isArray(values) ? values : null,
    ...(definition['hidden'] === true && { hidden: true }),
    ...(typeof target === 'string' && { reference_kind: target }),
    limits: limitsOf(definition),
  };
}

/** What a field needs of a definition; what is left out has its default. */
type FieldSettings = Pick<ParameterDefinition, 'id' | 'label' | 'kind_id'> & Partial<ParameterDefinition>;

function limitsOf(definition: FieldSettings): Limits {
  const { nullable, unique, is_primary: isPrimary, min_value: least, max_value: most, scale, pattern } = definition;
  return {
    nullable: nullable !== false,
    unique: unique === true,
    is_primary: isPrimary === true,
    ...({ min_value: least, max_value: most, scale, pattern } as Partial<Limits>),
  };
}
