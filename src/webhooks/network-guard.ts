import type { LookupAddress } from 'node:dns';
import dns from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createAllowList } from '../lib/allow-list.ts';
import { SECOND_MS } from '../lib/clock.ts';

/** Says to which addresses the service may open connections for a reseller. */
export interface NetworkGuard {
  isAllowed(address: string): boolean;
  /** For `net.connect`: resolves a name, refuses it when any of its addresses is forbidden, and answers only those it checked. */
  lookup: LookupFunction;
}

export const ADDRESS_NOT_ALLOWED = 'ERR_ADDRESS_NOT_ALLOWED';

const DNS_LIMIT_MS = 3 * SECOND_MS;
const DNS_TRIES = 2;

/**
 * Public unicast addresses are allowed, and those in `allowedBlocks` (WEBHOOK_ALLOWED_CIDRS). Everything else is somebody's inside:
 * private, loopback, link-local with the metadata services of clouds, carrier-grade NAT, multicast, IPv4 within IPv6 in its
 * many forms. A name is checked by what it resolves to at the moment of connecting, so it cannot change in between.
 */
export function createNetworkGuard(allowedBlocks: string[]): NetworkGuard {
  const isListed = allowedBlocks.length === 0 ? () => false : createAllowList(allowedBlocks);
  const isAllowed = (address: string) => isListed(address) || isPublic(address);
  const resolver = new dns.Resolver({ timeout: DNS_LIMIT_MS, tries: DNS_TRIES });
  return {
    isAllowed,
    lookup(hostname, options, callback) {
      resolve(resolver, hostname).then(
        (addresses) => {
          const forbidden = addresses.find(({ address }) => !isAllowed(address));
          const [first] = addresses;
          if (forbidden) callback(refusal(hostname, forbidden.address), []);
          else if (options.all || !first) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, []),
      );
    },
  };
}

/** The address that a URL names without any name resolution, or null. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? null : host;
}

/** In the public internet: unicast and not set aside for anything, also when written as IPv4 within IPv6. */
function isPublic(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/**
 * Asks the name servers over sockets of its own. The system's resolver would take one of the process's four threads for each
 * name, and a few names whose servers do not answer would keep all others waiting. It is still asked for names that only it
 * knows, such as those in the hosts file.
 */
async function resolve(resolver: dns.Resolver, hostname: string): Promise<LookupAddress[]> {
  if (hostname === 'localhost') return toAddresses(['127.0.0.1'], ['::1']);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = toAddresses(v4.status === 'fulfilled' ? v4.value : [], v6.status === 'fulfilled' ? v6.value : []);
  if (found.length > 0) return found;
  const failure = [v4, v6].find((answer) => answer.status === 'rejected' && !isUnknownName(answer.reason));
  if (failure?.status === 'rejected') throw failure.reason;
  return dns.lookup(hostname, { all: true });
}

function toAddresses(v4: string[], v6: string[]): LookupAddress[] {
  return [...v4.map((address) => ({ address, family: 4 })), ...v6.map((address) => ({ address, family: 6 }))];
}

function isUnknownName(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

function refusal(hostname: string, address: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} resolves to ${address}, which is not a public address.`), {
    code: ADDRESS_NOT_ALLOWED,
  });
}
