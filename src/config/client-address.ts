// The network address of a client: the peer of the connection, or the address that trusted proxies report.
import { hash } from 'node:crypto';
import { BlockList, isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** In characters: the longest form of an address, in quotes, with its zone and its port. */
const longestHop = 100;
/** Entries of `X-Forwarded-For` that are read. Nobody has so many proxies, but a stranger can send so many. */
const mostHops = 50;

/** One text for each address: `::FFFF:192.0.2.1` is 192.0.2.1, and a zone (`fe80::1%eth0`) is not part of it. Undefined for a text that is none. */
const normalize = (address: string): string | undefined => {
  const [bare = ''] = address.split('%');
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare).toString();
};

/** The address of an entry, in the forms that proxies write: bare, in brackets, in quotes, with a port. */
const readHop = (hop: string): string | undefined => {
  if (hop.length > longestHop) return undefined;
  const text = /^"(.*)"$/.exec(hop)?.[1] ?? hop;
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::[\w.-]*)?|([\d.]+):\d+)$/.exec(text) ?? [];
  return normalize(inBrackets ?? beforePort ?? text);
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

/** Stands for a client whose address nobody tells. Clients of a proxy that tells nothing at all are one. */
const nameUnreadable = (proxy: string, told: string): string =>
  /^"?(unknown)?"?$/i.test(told) ? proxy : `${proxy} ${hash('sha256', told, 'base64')}`;

/** `trusted` are the proxies of TRUSTED_PROXIES; headers from others are ignored. */
export const createAddressReader = (trusted: readonly string[]) => {
  const proxies = parseNetworks(trusted);
  const isProxy = (address: string | undefined): boolean =>
    trusted.length > 0 && address !== undefined && proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  return {
    isTrusted: (peer: string | undefined): boolean => isProxy(normalize(peer ?? '')),
    /**
     * The client's address: the rightmost entry of `X-Forwarded-For` that is not a trusted proxy, or the peer itself. A text of a proxy that is
     * no address has a text of its own, so that one such client does not count as all of them.
     */
    clientOf(peer: string | undefined, forwardedFor = ''): string {
      let client = normalize(peer ?? '') ?? '';
      let rest = forwardedFor;
      // Entries left of the first stranger come from that one. Nothing is split: only what is read is looked at.
      for (let hops = 0; client !== '' && isProxy(client) && rest !== '' && hops < mostHops; hops++) {
        const comma = rest.lastIndexOf(',');
        const hop = readHop(rest.slice(comma + 1).trim());
        if (hop === undefined) return nameUnreadable(client, rest.trim());
        client = hop;
        rest = rest.slice(0, Math.max(0, comma));
      }
      return client;
    },
  };
};
