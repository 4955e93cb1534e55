import { expect, it } from 'vitest';
import { RequestCounts } from '../../../src/metrics/request-counts.js';

const route = { path: '/api/lib/:kind_id/unit/:unit_id' };

it('counts requests by route, method and status, in buckets that include the smaller ones', () => {
  const counts = new RequestCounts();
  counts.observe(route, 'GET', 200, 1);
  counts.observe(route, 'GET', 200, 30);
  counts.observe(route, 'GET', 404, 20_000);
  counts.observe(undefined, 'GET', 404, 3);
  const ofRoute = { route: '/api/lib/{kind_id}/unit/{unit_id}', method: 'GET' };
  const found = [...counts.durations.samples()];
  const valueOf = (suffix: string, labels: object) =>
    found.find((each) => each.metricName?.endsWith(suffix) && sameLabels(each.labels, labels))?.value;
  expect(valueOf('_bucket', { ...ofRoute, status: '200', le: '0.001' })).toBe(1);
  expect(valueOf('_bucket', { ...ofRoute, status: '200', le: '0.025' })).toBe(1);
  expect(valueOf('_bucket', { ...ofRoute, status: '200', le: '0.05' })).toBe(2);
  expect(valueOf('_bucket', { ...ofRoute, status: '200', le: '+Inf' })).toBe(2);
  expect(valueOf('_sum', { ...ofRoute, status: '200' })).toBeCloseTo(0.031);
  expect(valueOf('_bucket', { ...ofRoute, status: '404', le: '10' })).toBe(0);
  expect(valueOf('_bucket', { ...ofRoute, status: '404', le: '+Inf' })).toBe(1);
  expect(valueOf('_count', { route: 'none', method: 'GET', status: '404' })).toBe(1);
});

it('adds up the requests of all routes', () => {
  const counts = new RequestCounts();
  counts.observe(route, 'GET', 404, 1);
  counts.observe(undefined, 'GET', 404, 1);
  counts.observe(undefined, 'POST', 404, 1);
  expect([...counts.answered.samples()]).toEqual([
    { labels: { method: 'GET', status: '404' }, value: 2 },
    { labels: { method: 'POST', status: '404' }, value: 1 },
  ]);
});

function sameLabels(one: object, other: object): boolean {
  const text = (labels: object) => JSON.stringify(Object.entries(labels).sort());
  return text(one) === text(other);
}
