/**
 * A remote kind: public holidays, from a service with the API of https://date.nager.at. The kind:
 * { "id": "holiday", "remote": true, "parameters": [
 *   { "id": "country", "kind_id": "unit", "reference_kind": "country", "own": true },
 *   { "id": "name", "kind_id": "string", "own": true }, { "id": "year", "kind_id": "integer" },
 *   { "id": "date", "kind_id": "date" }] }
 */
import { FunctionError, kind, type Filter, type RemoteUnit } from 'kind';

interface Answered {
  readonly date: string;
  readonly name: string;
}

// eslint-disable-next-line no-restricted-properties -- src/config reads the settings of the service; a function reads its own
const service = () => process.env['HOLIDAYS_URL'] ?? 'https://date.nager.at/api/v3';

export default kind('holiday').module({
  remote: {
    async list({ filter, order, offset, limit }, { signal }) {
      const asked = valuesOf(filter);
      const [country = '', year = String(new Date().getUTCFullYear())] = [asked.get('country'), asked.get('year')];
      if (!/^[A-Z]{2}$/.test(country) || !/^\d{4}$/.test(year)) throw unclear();
      if (order.length > 1) throw new FunctionError(400, 'holiday.order', 'Order by one parameter alone', 'order');
      const found = await holidays(country, year, signal);
      const [{ parameter, descending } = { parameter: 'date', descending: false }] = order;
      const text = (unit: RemoteUnit) => JSON.stringify(unit[parameter] ?? '');
      found.sort((a, b) => (descending ? -1 : 1) * text(a).localeCompare(text(b)));
      return { count: found.length, items: found.slice(offset, offset + limit) };
    },
    async get(id, { signal }) {
      const [, country, year] = /^([A-Z]{2})-(\d{4})-/.exec(id) ?? [];
      if (country === undefined || year === undefined) return null;
      return (await holidays(country, year, signal)).find((unit) => unit.id === id);
    },
  },
});

/** The holidays of one country and year; an empty list if the service has none. */
async function holidays(country: string, year: string, signal: AbortSignal): Promise<RemoteUnit[]> {
  const response = await fetch(`${service()}/PublicHolidays/${year}/${encodeURIComponent(country)}`, { signal });
  if (response.status === 404) return [];
  if (!response.ok) throw new Error(`the service of holidays answered ${response.status}`);
  const days = (await response.json()) as Answered[];
  return days.map(({ date, name }, at) => {
    return { id: `${country}-${date}-${at}`, country, year: Number(year), date, name };
  });
}

/** The service is queried by one country and one year, so the filter may have one `eq` test of each. */
function valuesOf(filter: Filter | null): Map<string, string> {
  if (filter === null) return new Map();
  if (filter.op === 'and') {
    const tests = filter.filters.flatMap((each) => [...valuesOf(each)]);
    const values = new Map(tests);
    if (values.size < tests.length) throw unclear();
    return values;
  }
  if (filter.op !== 'eq' || !('text' in filter.value)) throw unclear();
  const [name = ''] = filter.path.segments;
  if (name !== 'country' && name !== 'year') throw unclear();
  return new Map([[name, filter.value.text]]);
}

function unclear(): FunctionError {
  const text = 'Ask for a country, and a year if it is not this one: and(eq(country,PT),eq(year,2026))';
  return new FunctionError(400, 'holiday.filter', text, 'filter');
}
