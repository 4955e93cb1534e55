/** The settings in the form of a parameter, and what is sent for them. */
import { describe, expect, it } from 'vitest';
import type { FieldType } from '../src/api/types.js';
import { changedSettings, inputsOf, settingsOf, type SettingInputs } from '../src/model/parameter-settings.js';
import { rowOf } from '../src/model/transition-rows.js';

const COMMON = ['required', 'helper_text', 'nullable', 'only_run_time', 'hidden', 'write_once', 'own'];
const TEXT = ['multiple', 'unique', 'indexed', 'default', 'min_length', 'max_length', 'strip', 'search', 'is_primary'];
const NUMBER = ['multiple', 'unique', 'indexed', 'default', 'min_value', 'max_value'];
const OTHER = ['multiple', 'unique', 'indexed', 'default'];

it.each<[FieldType, string[]]>([
  ['string', [...TEXT, 'values', 'pattern', 'transitions']],
  ['text', TEXT],
  ['integer', [...NUMBER, 'values', 'sequence', 'is_primary']],
  ['float', NUMBER],
  ['decimal', [...NUMBER, 'scale', 'is_primary']],
  ['boolean', OTHER],
  ['date', [...OTHER, 'is_primary']],
  ['time', OTHER],
  ['datetime', OTHER],
  ['binary', ['multiple', 'default', 'max_length']],
  ['json', ['multiple', 'default']],
  ['unit', ['default', 'reference_kind', 'unique', 'on_delete', 'accept', 'max_bytes', 'owned']],
  ['newer' as FieldType, []],
])('a %s has those of the service that make sense for it', (type, own) => {
  const shown: string[] = settingsOf(type).map(({ id }) => id);
  expect(shown.toSorted()).toEqual([...COMMON, ...own].toSorted());
});

it('the usual ones are first', () => {
  const first = settingsOf('string').filter(({ place }) => place !== undefined);
  expect(first.map(({ id }) => id)).toEqual(['required', 'unique', 'indexed', 'multiple', 'values']);
  expect(settingsOf('string').slice(0, first.length)).toEqual(first);
});

describe('what is sent', () => {
  it.each<[FieldType, SettingInputs, object]>([
    ['string', {}, {}],
    ['string', { required: true, nullable: false }, { required: true, nullable: false }],
    ['string', { default: ' 5', max_length: '20' }, { default_string: ' 5', max_length: 20 }],
    ['string', { default: '["a"]', multiple: true }, { default_string: ['a'], multiple: true }],
    ['string', { values: ['1', 'b'] }, { values: ['1', 'b'] }],
    ['integer', { values: ['1', 'b'], default: '7' }, { values: [1, 'b'], default_integer: 7 }],
    ['decimal', { min_value: ' 0.10 ' }, { min_value: '0.10' }],
    ['decimal', { scale: '2' }, { scale: 2 }],
    ['boolean', { default: 'false' }, { default_boolean: false }],
    ['json', { default: 'null' }, { default_json: null }],
    ['json', { default: '{"a":' }, { default_json: '{"a":' }],
    ['datetime', { default: '@now' }, { default_datetime: '@now' }],
    ['integer', { sequence: true }, { sequence: true }],
    ['unit', { accept: ['image/*'], max_bytes: '5', owned: true }, { accept: ['image/*'], max_bytes: 5, owned: true }],
    ['unit', { reference_kind: 'city', on_delete: 'cascade' }, { reference_kind: 'city', on_delete: 'cascade' }],
  ])('of a new %s with %j is %j', (type, inputs, sent) => {
    expect(changedSettings(type, inputsOf(type), { ...inputsOf(type), ...inputs })).toEqual(sent);
  });

  it('of transitions is an object again, with what their rows cannot show kept', () => {
    const transitions = {
      initial: [],
      open: ['solved', { to: 'closed', when: 'admin' }],
      solved: [{ to: 'open', when: ['eq(owner,@member.id)', 'isnull(owner)'] }],
    };
    const rows = inputsOf('string', { transitions } as never)['transitions'] as string[];
    expect(rows.map(rowOf)).toEqual([
      { from: 'initial', to: '', when: '' },
      { from: 'open', to: 'solved', when: '' },
      { from: 'open', to: 'closed', when: 'admin' },
      { from: 'solved', to: 'open', when: 'eq(owner,@member.id)\nisnull(owner)' },
    ]);
    const changed = (next: string[]) =>
      changedSettings('string', inputsOf('string'), { ...inputsOf('string'), transitions: next });
    expect(changed(rows)).toEqual({ transitions });
    expect(changed([])).toEqual({});
    const known = inputsOf('string', { transitions, label: '' } as never);
    expect(changedSettings('string', known, { ...known, transitions: [] })).toEqual({ transitions: null });
  });

  it('of a known one is what differs from it', () => {
    const known = { id: 'a', label: 'A', kind_id: 'string', max_length: 5, nullable: false, default_string: null };
    const before = inputsOf('string', known as never);
    expect(before).toMatchObject({ label: 'A', max_length: '5', nullable: false, default: '', values: [] });
    expect(changedSettings('string', before, { ...before, max_length: '', label: 'B' })).toEqual({
      label: 'B',
      max_length: null,
    });
  });
});
