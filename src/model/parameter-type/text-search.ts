/** The text search of parameters: how PostgreSQL takes their texts apart into words. */

/** The text search configurations of PostgreSQL that every supported version has. */
export const SEARCH_CONFIGURATIONS = [
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
