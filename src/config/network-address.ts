// Decides where webhooks may be sent: an address that is checked is the one that is connected to, so that no name leads into the operator's own network.
import { type LookupAddress, lookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Ports that services of other protocols listen on are refused: those below 1024, but for these. */
const lowPorts: ReadonlySet<number> = new Set([80, 443]);

const globalNetwork = ipaddr.parseCIDR('2000::/3');
/**
 * Addresses that are registered as public, and that a cloud answers from within its own network alone: Azure's wire server, which hands out the
 * configuration of a machine, and the service networks of IBM Cloud.
 */
const cloudNetworks = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map((text) => ipaddr.IPv4.parseCIDR(text));

/** Whether anybody on the Internet may have this address: it is not of this machine, of a local network, or of a tunnel into one. */
export const isPublicAddress = (address: string): boolean => {
  const [bare = ''] = address.split('%');
  if (!ipaddr.isValid(bare)) return false;
  const found = ipaddr.process(bare);
  if (found.range() !== 'unicast') return false;
  return found.kind() === 'ipv4' ? cloudNetworks.every((network) => !found.match(network)) : found.match(globalNetwork);
};

export interface AddressRules {
  /** Whether addresses of the own network, every port, and http without encryption are allowed. */
  allowsPrivate: boolean;
}

/** The fault of the URL of a webhook; undefined when there is none. Names are looked up later, when it is sent. */
export const findUrlFault = (text: string, { allowsPrivate }: AddressRules): string | undefined => {
  if (!URL.canParse(text)) return 'must be an address such as https://example.org/hooks';
  const { protocol, username, password, hostname, port } = new URL(text);
  const protocols = allowsPrivate ? ['https:', 'http:'] : ['https:'];
  if (!protocols.includes(protocol))
    return allowsPrivate ? 'must begin with https:// or http://' : 'must begin with https://';
  if (username || password) return 'must not contain a user or a password';
  if (allowsPrivate) return undefined;
  if (port !== '' && Number(port) < 1024 && !lowPorts.has(Number(port)))
    return 'must have the port 80, 443, or one above 1023';
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) && !isPublicAddress(host) ? 'must not be an address of a private network' : undefined;
};

/** Nothing was sent: the name leads to no allowed address. */
class AddressRefused extends Error {}

type LookupCallback = (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void;

/**
 * A `lookup` for sockets that refuses a name as soon as one of its addresses is private. The socket connects to what it yields and asks nobody
 * again, so that a second answer of the name server makes no difference.
 */
export const createLookup =
  ({ allowsPrivate }: AddressRules) =>
  (hostname: string, options: { all?: boolean; family?: number | string }, callback: LookupCallback): void => {
    lookup(hostname, { all: true, verbatim: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const refused = allowsPrivate ? undefined : addresses.find(({ address }) => !isPublicAddress(address));
      if (refused || addresses.length === 0)
        return callback(new AddressRefused('the name leads to an address of a private network'), []);
      if (options.all) return callback(null, addresses);
      callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
