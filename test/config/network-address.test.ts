// Which addresses a webhook may be sent to: those that anybody on the Internet may have, and no others.
import { describe, expect, it } from 'vitest';
import { findUrlFault, isPublicAddress } from '../../src/config/network-address.ts';

describe('an address', () => {
  it.each([
    '93.184.215.14',
    '168.63.129.15',
    '168.63.129.17',
    '161.25.255.255',
    '166.12.0.0',
    '2606:2800:21f::1',
    '::ffff:93.184.215.14',
  ])('is public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
    expect(findUrlFault(`https://${address.includes(':') ? `[${address}]` : address}/`, { allowsPrivate: false })).toBe(
      undefined,
    );
  });

  it.each([
    // Metadata and machines of clouds: Azure, IBM, AWS, Google, Oracle, Alibaba.
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '161.26.0.10',
    '166.9.12.11',
    '169.254.169.254',
    '169.254.0.23',
    '192.0.0.192',
    '100.100.100.200',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::1234:5678:9abc',
    // The own machine, and local networks.
    '0.0.0.0',
    '0.1.2.3',
    '127.0.0.1',
    '127.9.9.9',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    'fc00::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    // Tunnels and translations into IPv4.
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::168.63.129.16',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::1',
    '2001:0:7f00:1::1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '192.88.99.1',
    '192.52.193.1',
    // Benchmarks, documentation, multicast, reserved.
    '198.18.0.1',
    '198.19.255.255',
    '2001:2::1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '2001:db8::1',
    '224.0.0.1',
    '239.255.255.255',
    'ff02::1',
    '240.0.0.1',
    '255.255.255.255',
    '100::1',
    '4000::1',
    '3fff::1',
  ])('is not public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    'https://168.63.129.16/hooks',
    'https://0xa83f8110/hooks',
    'https://2822734096/hooks',
    'https://[::ffff:a83f:8110]/hooks',
    'https://168.63.33040/hooks',
  ])('of the wire server of Azure is refused in every spelling: %s', (url) => {
    expect(findUrlFault(url, { allowsPrivate: false })).toBe('must not be an address of a private network');
    expect(findUrlFault(url, { allowsPrivate: true })).toBe(undefined);
  });
});
