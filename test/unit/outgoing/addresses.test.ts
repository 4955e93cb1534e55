/** Addresses that requests of tenants are sent to, and those that they are not. */
import { expect, it } from 'vitest';
import { isLoopback, isRefused, type AddressRules } from '../../../src/outgoing/addresses.js';

const allowed = { allow: [], allowPrivate: false };
const rules: AddressRules = {
  allowed,
  ownAddresses: ['127.0.0.1', '::1', '11.22.33.44', 'fe80::1%eth0', '2a00:1450::99'],
  ownPlaces: [
    { addresses: ['127.0.0.1'], port: 3000 },
    { addresses: ['11.0.0.5'], port: 5432 },
  ],
};

const REFUSED = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.254', '127.0.0.1', '127.255.0.9'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.168.1.1', '192.88.99.1'],
  ...['198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9', '224.0.0.1', '239.1.2.3', '240.0.0.1'],
  '255.255.255.255',
  // Other forms of IPv4.
  ...['0x7f.1', '127.1', '2130706433', '0177.0.0.1', '0x7f000001', '10.1', '0xa9fea9fe'],
  // IPv6.
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '100::1', '2001:db8::1'],
  ...['3fff::1', '5f00::1', '2001:2::1', '2001:10::1', '2001:20::1', '4000::1', 'e000::1'],
  // IPv4 inside: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP.
  ...['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::8.8.8.8', '::127.0.0.1', '::ffff:0:8.8.8.8'],
  ...['64:ff9b::10.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '2002:7f00:1::1', '2002:808:808::1'],
  ...['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2a00::5efe:10.0.0.1', '2a00::200:5efe:808:808'],
  // Addresses of this host.
  ...['11.22.33.44', '2a00:1450::99', '::ffff:11.22.33.44'],
  ...['', 'example.com', '1.2.3', '1.2.3.4.5', '8.8.8.8 '],
];

it.each(REFUSED)('%s is refused', (address) => {
  // The short form '1.2.3' is that of 1.2.0.3.
  expect(isRefused(address, 443, rules)).toBe(address !== '1.2.3');
});

it.each(['8.8.8.8', '1.1.1.1', '11.22.33.45', '172.32.0.1', '100.128.0.1', '2a00:1450:4001::200e', '2606:4700::1111'])(
  '%s is public',
  (address) => {
    expect(isRefused(address, 443, rules)).toBe(false);
  },
);

it('networks that are allowed are, in their own form alone', () => {
  const allowing = { ...rules, allowed: { ...allowed, allow: ['10.1.0.0/16', '192.168.7.7', 'fd00::/8'] } };
  const refused = (address: string, port = 443) => isRefused(address, port, allowing);
  expect(['10.1.2.3', '192.168.7.7', 'fd12::1'].map((each) => refused(each))).toEqual([false, false, false]);
  expect(['10.2.0.1', '192.168.7.8', 'fc00::1', '::ffff:10.1.2.3'].map((each) => refused(each))).toEqual(
    Array.from({ length: 4 }, () => true),
  );
});

it.each(['127.0.0.1', '127.0.0.2', '::1', '0.0.0.0', '::', '11.22.33.44', '::ffff:127.0.0.1', '0x7f.1'])(
  'the service and its database are never allowed: %s',
  (address) => {
    const all = { ...rules, allowed: { ...allowed, allowPrivate: true, allow: ['0.0.0.0/0', '::/0'] } };
    expect(isRefused(address, 3000, all)).toBe(true);
    expect(isRefused(address, 3001, all)).toBe(false);
  },
);

it('a database elsewhere is not allowed either', () => {
  const all = { ...rules, allowed: { ...allowed, allowPrivate: true } };
  expect(isRefused('11.0.0.5', 5432, all)).toBe(true);
  expect(isRefused('11.0.0.5', 443, all)).toBe(false);
  expect(isRefused('11.0.0.6', 5432, all)).toBe(false);
});

it.each(['localhost', '127.0.0.1', '127.9.8.7', '::1', '::ffff:127.0.0.1'])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true);
});

it.each(['0.0.0.0', '::', '10.0.0.1', 'localhost.example.com', 'a.localhost', 'example.com', ''])(
  '%s may be another machine',
  (host) => expect(isLoopback(host)).toBe(false),
);
