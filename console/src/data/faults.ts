/** The messages of a refusal in the words of a form: at its fields, with their labels in place of the names of the API. */
import { ApiError } from '../api/errors.js';
import type { Text } from '../i18n/text.js';

export type FieldErrors = Readonly<Record<string, string>>;

/** Messages that are about no field. No field has such a name. */
export const FIELD_OF_FORM = '@form';

interface Named {
  readonly id: string;
  readonly label: string;
}

/** What names of the API are called in a form. */
export type Labels = ReadonlyMap<string, string>;

/** Messages begin with what they are about, such as `tags[1]: …`. */
const PLACED = /^([a-z_][a-z0-9_]*)((?:\[\d+\]|\.[a-z_][a-z0-9_]*)*): (.*)$/su;

export function labelsOf(fields: readonly Named[]): Labels {
  return new Map(fields.map(({ id, label }) => [id, label]));
}

/** A message that is shown at the field that it is about. */
export function textAt(name: string, message: string, labels: Labels, text: Text): string {
  const [, of, path = '', fault] = PLACED.exec(message) ?? [];
  if (of !== name || fault === undefined) return withLabels(message, labels);
  const shown = sentence(withLabels(fault, labels));
  const [, element] = /^\[(\d+)\]$/.exec(path) ?? [];
  if (element !== undefined) return text('field.element', { number: Number(element) + 1, fault: shown });
  return path === '' ? shown : `${path.replace(/^\./, '')}: ${fault}`;
}

/** A message that stands alone. */
export function textAlone(message: string, labels: Labels): string {
  const [, of = '', path = '', fault] = PLACED.exec(message) ?? [];
  const label = labels.get(of);
  if (label === undefined || fault === undefined) return sentence(withLabels(message, labels));
  return `${label}${path}: ${withLabels(fault, labels)}`;
}

/** Names in quotes, those of values, and those that can be no words because they have an underscore. */
function withLabels(message: string, labels: Labels): string {
  const called = (name: string) => (labels.has(name) ? `“${labels.get(name)}”` : name);
  return message.replace(NAMES, (found: string, quoted?: string, of?: string, list?: string) => {
    if (of !== undefined && list !== undefined) return of + list.split(', ').map(called).join(', ');
    return quoted !== undefined && !labels.has(quoted) ? found : called(quoted ?? found);
  });
}

const NAMES = /'([a-z_][a-z0-9_]*)'|(\bvalues? of )([a-z0-9_]+(?:, [a-z0-9_]+)*)|\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g;

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The messages of a refusal by field; those about none of them are of the whole form. */
export function faultsOf(fault: unknown, fields: readonly Named[], text: Text): FieldErrors {
  if (!(fault instanceof ApiError)) return { [FIELD_OF_FORM]: (fault as Error).message };
  const labels = labelsOf(fields);
  const faults = new Map<string, Set<string>>();
  for (const { parameter = '', text: message } of fault.messages) {
    const name = nameIn(parameter);
    const place = labels.has(name) ? name : FIELD_OF_FORM;
    const shown = place === name ? textAt(name, message, labels, text) : textAlone(message, labels);
    faults.set(place, (faults.get(place) ?? new Set()).add(shown));
  }
  if (faults.size === 0) return { [FIELD_OF_FORM]: fault.message };
  return Object.fromEntries([...faults].map(([place, texts]) => [place, [...texts].join('\n')]));
}

/** The first name of a path such as `tags[1]`. */
export function nameIn(path: string): string {
  return /^[^.[]*/.exec(path)?.[0] ?? '';
}
