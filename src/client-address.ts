// The network address of a client: the peer of the connection, or the address that trusted proxies report.
import { BlockList, isIP, isIPv4 } from 'node:net';

/** `::ffff:192.0.2.1` is 192.0.2.1; a zone (`fe80::1%eth0`) is not part of an address. */
const plainAddress = (address: string): string => {
  const [bare = ''] = address.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  return mapped ?? bare;
};

/** Parses addresses and networks in CIDR notation. Throws an Error that names the first entry that is neither. */
export const parseNetworks = (entries: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits, ...more] = entry.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    const most = family === 'ipv4' ? 32 : 128;
    const valid =
      isIP(address) && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
    if (!valid) throw new Error(`${entry} is neither an address nor a network such as 10.0.0.0/8`);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
};

const isWithin = (list: BlockList, address: string): boolean =>
  isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

export interface Addresses {
  isTrusted(peer: string | undefined): boolean;
  /** The client's address: the rightmost entry of `X-Forwarded-For` that is not a trusted proxy, or the peer itself. */
  clientOf(peer: string | undefined, forwardedFor: string | undefined): string;
}

/** `trusted` are the proxies of TRUSTED_PROXIES; headers from others are ignored. */
export const createAddressReader = (trusted: readonly string[]): Addresses => {
  const proxies = parseNetworks(trusted);
  const isTrusted = (peer: string | undefined): boolean =>
    trusted.length > 0 && peer !== undefined && isWithin(proxies, plainAddress(peer));
  return {
    isTrusted,
    clientOf(peer, forwardedFor) {
      let client = plainAddress(peer ?? '');
      if (!isTrusted(peer)) return client;
      const hops = (forwardedFor ?? '').split(',').map((hop) => plainAddress(hop.trim()));
      for (const hop of hops.reverse()) {
        // Entries further left come from untrusted senders.
        if (isIP(hop) === 0) return client;
        client = hop;
        if (!isWithin(proxies, hop)) return client;
      }
      return client;
    },
  };
};
