/** What a chart shows before anything is chosen: something that has more than one group, and not thousands. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { aggregate } from '../api/aggregate.js';
import type { Field } from '../api/types.js';
import { fieldOfType } from '../fields/fields.js';
import { isNumeric } from '../fields/values.js';
import { groupable, type Chart } from './chart-query.js';

/** The parameters of the address that somebody has chosen something with; a filter says nothing of the chart. */
const CHOICES = ['measure', 'of', 'by', 'step', 'split', 'as', 'cell'];
/** The fields whose values are counted, and how many different ones are a sensible number of bars. */
const MOST_COUNTED = 8;
const [FEWEST, MOST] = [2, 40];

type First = Pick<Chart, 'by' | 'step'>;

/** Undefined as long as it is not known, and where something was chosen. */
export function useFirstChart(
  kind: string,
  fields: readonly Field[],
  parameters: URLSearchParams,
): { readonly isAsked: boolean; readonly first: First | undefined } {
  const isChosen = CHOICES.some((name) => parameters.has(name));
  const filter = parameters.get('filter') ?? '';
  const { data } = useQuery({
    queryKey: ['first-chart', kind, filter, fields],
    queryFn: isChosen ? skipToken : ({ signal }) => firstChart(kind, fields, filter, signal),
    staleTime: 30_000,
    retry: false,
  });
  return { isAsked: !isChosen, first: isChosen ? undefined : data };
}

async function firstChart(kind: string, fields: readonly Field[], filter: string, signal: AbortSignal): Promise<First> {
  const candidates = groupable(fields).filter(({ multiple }) => !multiple);
  const own = candidates.filter(({ id }) => !OF_SYSTEM.has(id));
  const time = own.find(({ type }) => fieldOfType(type).time);
  if (time) return { by: time.id, step: 'month' };
  const listed = own.find(({ type, values }) => fieldOfType(type).choices ?? values);
  if (listed) return { by: listed.id, step: '' };
  const counted = own.filter((field) => !isNumeric(field)).slice(0, MOST_COUNTED);
  const few = await withFewValues(kind, counted, filter, signal);
  if (few) return { by: few.id, step: '' };
  return candidates.some(({ id }) => id === MADE_AT) ? { by: MADE_AT, step: 'month' } : { by: '', step: '' };
}

const MADE_AT = 'inserted_at';
const OF_SYSTEM: ReadonlySet<string> = new Set([MADE_AT, 'updated_at']);

/** The first field with a sensible number of values; none where the service does not count them, such as in a remote kind. */
async function withFewValues(
  kind: string,
  fields: readonly Field[],
  filter: string,
  signal: AbortSignal,
): Promise<Field | undefined> {
  if (fields.length === 0) return undefined;
  const select = fields.map(({ id }, at) => `c${at}:count_distinct(${id})`).join(',');
  try {
    const { items } = await aggregate(kind, { select: `[${select}]`, filter, limit: 1 }, signal);
    return fields.find((_, at) => {
      const count = Number(items[0]?.[`c${at}`]);
      return count >= FEWEST && count <= MOST;
    });
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}
