/** Which addresses the service sends requests to that tenants have asked for. Pure. */
import ipaddr from 'ipaddr.js';
import type { AllowedAddresses } from '../config/config.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/** The service, or its database, which nothing is sent to, whatever is allowed. */
export interface OwnPlace {
  /** Addresses, all of which are the place. */
  readonly addresses: readonly string[];
  readonly port: number;
}

export interface AddressRules {
  readonly allowed: AllowedAddresses;
  /** The addresses of the network interfaces of this host. */
  readonly ownAddresses: readonly string[];
  readonly ownPlaces: readonly OwnPlace[];
}

/** Whether an address of text is one, in any of its forms. */
export function isAddress(text: string): boolean {
  return ipaddr.isValid(text);
}

/** Whether a host, as a URL names it, is this machine by its name or address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && withoutMapping(ipaddr.parse(host)).range() === 'loopback');
}

/** Whether nothing may be sent to the address. */
export function isRefused(text: string, port: number, { allowed, ownAddresses, ownPlaces }: AddressRules): boolean {
  if (!ipaddr.isValid(text)) return true;
  const address = ipaddr.parse(text);
  const plain = withoutMapping(address);
  const own = ownAddresses.map(canonical);
  const isOwn = (each: Address): boolean => own.includes(each.toString()) || isThisHost(each);
  if (ownPlaces.some((place) => place.port === port && isPlace(plain, place, isOwn))) return true;
  if (allowed.allowPrivate) return false;
  if (allowed.allow.some((network) => isWithin(address, networkOf(network)))) return false;
  return !isPublic(address) || isOwn(plain);
}

function isPlace(address: Address, place: OwnPlace, isOwn: (each: Address) => boolean): boolean {
  const addresses = place.addresses.map((each) => withoutMapping(ipaddr.parse(each)));
  return addresses.some((each) => each.toString() === address.toString() || (isOwn(each) && isOwn(address)));
}

/** Neither special nor with an IPv4 address inside. */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return isV4(address) || (isGlobal(address) && !isTunnel(address));
}

/** Only these are given to networks of the internet. */
function isGlobal({ parts: [first = 0] }: ipaddr.IPv6): boolean {
  return first >> 13 === 1;
}

/** Whether its second half is an IPv4 address, as ISATAP writes it. */
function isTunnel({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
}

/** Loopback, or the address of no host, by which a host calls itself. */
function isThisHost(address: Address): boolean {
  return address.range() === 'loopback' || address.range() === 'unspecified';
}

/** The IPv4 address that an address of IPv6 stands for. */
function withoutMapping(address: Address): Address {
  return isV4(address) || !address.isIPv4MappedAddress() ? address : address.toIPv4Address();
}

function canonical(text: string): string {
  return withoutMapping(ipaddr.parse(text)).toString();
}

function isV4(address: Address): address is ipaddr.IPv4 {
  return address.kind() === 'ipv4';
}

function networkOf(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, isV4(address) ? 32 : 128];
}

function isWithin(address: Address, [network, bits]: Network): boolean {
  if (isV4(address)) return isV4(network) && address.match(network, bits);
  return !isV4(network) && address.match(network, bits);
}
