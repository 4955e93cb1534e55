import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printOrderValue } from '../../../src/filter/order.js';
import { parseFlags } from '../../../src/http/route/parse-list-query.js';
import { listQueryOf } from '../../support/list-query.js';
import { KindError } from '../../../src/shared/errors.js';
import { runs } from '../../support/runs.js';

const IDENTIFIER = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const terms = fc.array(fc.record({ path: IDENTIFIER, descending: fc.boolean() }), { minLength: 1, maxLength: 4 });
const encode = fc.constantFrom(encodeURIComponent, (text: string) => text);
const written = ({ path, descending }: { path: string; descending: boolean }) =>
  `${path};${descending ? 'desc' : 'asc'}`;

describe('the query of a list', () => {
  it('accepts every spelling of an order', () => {
    fc.assert(
      fc.property(terms, encode, (order, code) => {
        const queries = [
          order.map((term) => `order=${code(written(term))}`),
          order.map((term) => `order[]=${code(written(term))}`),
          order.map((term, at) => `${at % 2 ? 'order' : 'order%5B%5D'}=${code(written(term))}`),
          [`order=${code(`[${order.map(written).join(',')}]`)}`],
          order.map((term) => `order=${term.descending ? '-' : ''}${term.path}`),
          order.map((term, at) => `order[${at}]=${code(written(term).replace(/[a-z]+$/, (way) => way.toUpperCase()))}`),
          order.map((term, at) => `order[${at}]=${code(written(term))}`).reverse(),
        ];
        for (const query of queries) {
          const terms = listQueryOf(`/x?${query.join('&')}`).order;
          expect(terms.map(({ value, descending }) => ({ path: printOrderValue(value), descending }))).toEqual(order);
        }
      }),
    );
  });

  it('accepts every spelling of a list of names', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(IDENTIFIER, { minLength: 1, maxLength: 5 }),
        encode,
        fc.constantFrom('include' as const, 'exclude' as const),
        (names, code, key) => {
          const queries = [
            `${key}=${code(names.join())}`,
            `${key}=${code(`[${names.join(', ')}]`)}`,
            names.map((name) => `${key}[]=${name}`).join('&'),
            names.map((name) => `${key}=${name}`).join('&'),
            names.map((name, at) => `${key}[${at}]=${name}`).join('&'),
          ];
          for (const query of queries) expect(listQueryOf(`/x?${query}`)[key]).toEqual(names);
        },
      ),
    );
  });

  it('is either read or rejected', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'order',
        'include',
        'limit',
        'offset',
        'filter',
        'cursor',
        'count',
        'depth',
        '[]',
        '=',
        '&',
        ';asc',
        '%',
        '%00',
        '%F0',
        '[',
        ']',
        ',',
        '__proto__',
        '-1',
        'eq(a,b)',
      ),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          listQueryOf(`/x?${pieces.join('')}`);
        } catch (error) {
          if (!(error instanceof KindError)) throw error;
          expect(error.status).toBe(400);
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it('without parameters has the defaults', () => {
    expect(listQueryOf('/x')).toEqual(listQueryOf('/x?'));
    expect(listQueryOf('/x')).toMatchObject({
      limit: 100,
      offset: 0,
      count: 'exact',
      order: [],
      loadLinks: false,
      depth: 0,
    });
  });
});

it('an unknown name is reported once, however often it is given', () => {
  const refused = () => listQueryOf(`/x?${'nope=1&'.repeat(5000)}nope[]=2&other=3`);
  expect(refused).toThrow(KindError);
  try {
    refused();
  } catch (error) {
    expect((error as KindError).messages.map(({ parameter }) => parameter)).toEqual(['nope', 'other']);
  }
});

describe('flags', () => {
  it.each([
    ['/x', []],
    ['/x?cascade=true', ['cascade']],
    ['/x?cascade=false', []],
  ])('of %s', (url, set) => {
    expect([...parseFlags(url, ['cascade'])]).toEqual(set);
  });

  it.each([
    '/x?cascade',
    '/x?cascade=',
    '/x?cascade=1',
    '/x?cascade=TRUE',
    '/x?cascade=true&cascade=true',
    '/x?casade=true',
  ])('are refused: %s', (url) => {
    expect(() => parseFlags(url, ['cascade'])).toThrow(KindError);
  });
});
