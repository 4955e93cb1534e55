/** Query parameters of writes by filter, upserts, imports and exports. Pure. */
import { LIMITS } from '../../../shared/limits.js';
import { LISTED_IDS, queryParameterOf } from './query.parameter.js';

export const WRITE_PARAMETERS = {
  matching_filter: queryParameterOf(
    'filter',
    'Which units: an expression as of a list, such as `eq(state,draft)`; `all()` matches every unit.',
    { type: 'string', minLength: 1, maxLength: LIMITS.filterBytes },
    { required: true },
  ),
  max_affected: queryParameterOf(
    'max_affected',
    'The most units that may be changed: 409 where more match, and none is changed.',
    { type: 'integer', minimum: 0, maximum: LIMITS.affectedMax, default: LIMITS.affectedDefault },
  ),
  on_conflict: queryParameterOf(
    'on_conflict',
    'Makes the create an upsert: where a unit has the values of `by` already, it is edited (`update`) or left as it is (`ignore`).',
    { type: 'string', enum: ['update', 'ignore'] },
  ),
  by: queryParameterOf(
    'by',
    'With `on_conflict`: a unique parameter, or all of a compound unique; the primary parameter where it is left out.',
    LISTED_IDS,
    { style: 'form', explode: false },
  ),
  format: queryParameterOf('format', 'The form of the file: CSV with a header row, or one JSON object per line.', {
    type: 'string',
    enum: ['csv', 'ndjson'],
    default: 'csv',
  }),
  safe: queryParameterOf(
    'safe',
    "For spreadsheets: puts `'` before texts that may be formulas: that begin with `=`, `+`, `-`, `@`, a tab or a line break. It is not taken off again.",
    { type: 'boolean', default: false },
  ),
  errors: queryParameterOf(
    'errors',
    'Whether the first records with faults refuse the whole file, or are passed over and answered.',
    { type: 'string', enum: ['stop', 'skip'], default: 'stop' },
  ),
  ids: queryParameterOf('ids', 'Whether units get new ids, or keep those of the file (administrators).', {
    type: 'string',
    enum: ['new', 'keep'],
    default: 'new',
  }),
} as const;
