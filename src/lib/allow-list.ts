import { BlockList, isIP } from 'node:net';

const MAX_PREFIX = { ipv4: 32, ipv6: 128 } as const;

/** `203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32`: an address or a CIDR block of either family. */
export function isAddressOrBlock(text: string): boolean {
  return parse(text) !== null;
}

/** Whether an address is on the list; an empty list allows every address. */
export function createAllowList(entries: string[]): (address: string) => boolean {
  if (entries.length === 0) return () => true;
  const list = new BlockList();
  for (const entry of entries) {
    const block = parse(entry);
    if (block) list.addSubnet(block.address, block.prefix, block.family);
  }
  return (address) => {
    const family = familyOf(address);
    if (family === null) return false;
    // A server that listens on IPv6 sees IPv4 clients as ::ffff:a.b.c.d.
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
    return list.check(address, family) || (mapped !== undefined && list.check(mapped, 'ipv4'));
  };
}

function parse(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } | null {
  const [address = '', prefixText, ...rest] = text.split('/');
  const family = familyOf(address);
  if (family === null || rest.length > 0) return null;
  if (prefixText === undefined) return { address, prefix: MAX_PREFIX[family], family };
  const prefix = /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : Number.NaN;
  return prefix >= 0 && prefix <= MAX_PREFIX[family] ? { address, prefix, family } : null;
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address);
  if (version === 4) return 'ipv4';
  return version === 6 ? 'ipv6' : null;
}
