/** The size of the API document of a project with many kinds, and the times to build it and to serve it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { median } from './measure.mjs';
import { residentMegabytes } from './process-stats.mjs';

const KINDS = 200;
const TIMES = 20;
const CODINGS = ['br', 'gzip'];
/** The targets: milliseconds from the cache, bytes. */
const TARGETS = { kept: 50, bytes: 10_000_000 };

const PARAMETERS = [
  {
    id: 'doc_name',
    kind_id: 'string',
    label: 'Name',
    required: true,
    max_length: 200,
    helper_text: 'As it is written',
  },
  { id: 'doc_notes', kind_id: 'text', label: 'Notes', max_length: 10_000 },
  { id: 'doc_size', kind_id: 'string', values: ['small', 'medium', 'large'], default_string: 'small' },
  { id: 'doc_amount', kind_id: 'integer', min_value: 0, helper_text: 'How many there are' },
  { id: 'doc_price', kind_id: 'decimal', scale: 2 },
  { id: 'doc_ratio', kind_id: 'float' },
  { id: 'doc_open', kind_id: 'boolean', default_boolean: true },
  { id: 'doc_since', kind_id: 'date' },
  { id: 'doc_seen', kind_id: 'datetime' },
  { id: 'doc_tags', kind_id: 'string', multiple: true, unique: true },
];

/**
 * @typedef {object} Coded compressed; medians, milliseconds
 * @property {string} coding
 * @property {number} bytes
 * @property {number} made after the document itself
 * @property {number} kept from the cache
 *
 * @typedef {object} DocumentTimes medians, milliseconds; memory in MB
 * @property {number} kinds
 * @property {number} bytes
 * @property {Coded[]} codings
 * @property {number} made after a change of the model
 * @property {number} kept from the cache, with all of its bytes
 * @property {number} known 304, to who has it already
 * @property {number | undefined} before memory of the service before the first one
 * @property {number | undefined} after and after the last
 * @property {typeof TARGETS} targets
 *
 * @param {import('./service.mjs').Service} service
 * @param {number} rounds
 * @returns {Promise<DocumentTimes>}
 */
export async function measureDocuments(service, rounds) {
  const shared = PARAMETERS.map(({ id }) => id);
  for (let at = 0; at < KINDS; at += 1) {
    await service.call('POST', '/kind/unit', { id: `doc_${at}`, parameters: at === 0 ? PARAMETERS : shared });
  }
  const before = await residentMegabytes(service.child.pid);
  /** @type {Record<'made' | 'kept' | 'known', number[]>} */
  const times = { made: [], kept: [], known: [] };
  const coded = CODINGS.map((coding) => ({
    coding,
    bytes: 0,
    made: /** @type {number[]} */ ([]),
    kept: /** @type {number[]} */ ([]),
  }));
  let bytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    await service.call('PUT', '/kind/unit/doc_0', { label: `Round ${round}` });
    const first = await fetchDocument(service);
    assert.ok(first.text.includes(`/api/lib/doc_${KINDS - 1}/unit`));
    bytes = first.length;
    times.made.push(first.milliseconds);
    for (let time = 0; time < TIMES; time += 1) {
      times.kept.push((await fetchDocument(service)).milliseconds);
      times.known.push((await fetchDocument(service, { etag: first.etag })).milliseconds);
    }
    for (const each of coded) {
      const { milliseconds, length } = await fetchDocument(service, { coding: each.coding });
      each.bytes = length;
      each.made.push(milliseconds);
      for (let time = 0; time < TIMES; time += 1) {
        each.kept.push((await fetchDocument(service, { coding: each.coding })).milliseconds);
      }
    }
  }
  const after = await residentMegabytes(service.child.pid);
  const [made, kept, known] = [median(times.made), median(times.kept), median(times.known)];
  const codings = coded.map((each) => ({ ...each, made: median(each.made), kept: median(each.kept) }));
  return { kinds: KINDS, bytes, codings, made, kept, known, before, after, targets: TARGETS };
}

/**
 * Reads the whole answer without decompressing it.
 *
 * @param {import('./service.mjs').Service} service
 * @param {{ etag?: string, coding?: string }} [wanted] of the one that is known; how it is to be compressed
 */
async function fetchDocument({ url, headers }, { etag, coding = 'identity' } = {}) {
  const started = performance.now();
  const known = etag === undefined ? {} : { 'if-none-match': etag };
  const request = http.get(`${url}/api/lib/doc/openapi.json`, {
    headers: { ...headers, ...known, 'accept-encoding': coding },
  });
  const [response] = /** @type {[http.IncomingMessage]} */ (await once(request, 'response'));
  const bytes = await buffer(response);
  const milliseconds = performance.now() - started;
  assert.equal(response.statusCode, etag === undefined ? 200 : 304);
  assert.equal(response.headers['content-encoding'] ?? 'identity', coding);
  return {
    text: coding === 'identity' ? bytes.toString() : '',
    length: bytes.length,
    etag: response.headers.etag ?? '',
    milliseconds,
  };
}
