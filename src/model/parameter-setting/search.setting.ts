/** The text search of parameters: how PostgreSQL takes their texts apart into words. */
import type { CheckContext, ParameterSetting } from './parameter-setting.js';

/** The text search configurations of PostgreSQL that every supported version has. */
const SEARCH_CONFIGURATIONS = [
  'simple',
  'arabic',
  'armenian',
  'basque',
  'catalan',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'greek',
  'hindi',
  'hungarian',
  'indonesian',
  'irish',
  'italian',
  'lithuanian',
  'nepali',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'serbian',
  'spanish',
  'swedish',
  'tamil',
  'turkish',
  'yiddish',
] as const;

export type SearchConfiguration = (typeof SEARCH_CONFIGURATIONS)[number];

interface Settings {
  readonly search?: SearchConfiguration | undefined;
  readonly multiple: boolean;
  readonly runTime: boolean;
  readonly hidden: boolean;
}

/** Undefined if the texts are not searched. */
export const search: ParameterSetting<'search', SearchConfiguration | undefined> = {
  key: 'search',
  unset: undefined,
  isOwn: true,
  field: { type: 'string', label: 'Search', values: SEARCH_CONFIGURATIONS },
  check(def: Settings, { report }: CheckContext) {
    if (def.search === undefined) return;
    if (def.multiple) report('search', 'a list cannot be searched');
    if (def.runTime) report('search', 'what is not stored cannot be searched');
    if (def.hidden) report('search', 'what is hidden cannot be searched');
  },
  form: {
    control: 'text',
    label: 'Search',
    help: 'How texts are searched: simple, or a language such as english.',
  },
};
