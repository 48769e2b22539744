import { describe, expect, it } from '@jest/globals';
import { clientAddress } from './client-address.js';

const PEER = '10.0.0.1';
const oneProxy = (_address: string, hops: number) => hops < 1;
const internalProxies = (address: string) => address.startsWith('10.');

describe('the client address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:51312', '203.0.113.7'],
    ['[2001:db8::1]:51312', '2001:db8::1'],
    ['[2001:DB8:0:0::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['198.51.100.9, 203.0.113.7:1', '203.0.113.7'],
    ['198.51.100.9,203.0.113.7 , ', '203.0.113.7'],
  ])('is read from X-Forwarded-For: %s as %s', (forwarded, address) => {
    expect(clientAddress(PEER, forwarded, oneProxy)).toBe(address);
  });

  it.each([
    undefined,
    '',
    ' , ',
    'unknown',
    '_hidden',
    '203.0.113',
    '203.0.113.7:http',
    '203.0.113.007',
    '[203.0.113.7',
    '203.0.113.7/24',
    '2001:db8::1::2',
    '<script>',
    '198.51.100.9, unknown',
  ])('is that of the peer where X-Forwarded-For is %p', (forwarded) => {
    expect(clientAddress(PEER, forwarded, oneProxy)).toBe(PEER);
  });

  it('is found behind trusted proxies whose entries have a port', () => {
    expect(clientAddress('::ffff:10.0.0.1', '198.51.100.9, 203.0.113.7:5, 10.0.0.2:443', internalProxies)).toBe(
      '203.0.113.7',
    );
    expect(clientAddress('203.0.113.1', '198.51.100.9', internalProxies)).toBe('203.0.113.1');
    expect(clientAddress(PEER, '198.51.100.9, secret-host, 10.0.0.2', internalProxies)).toBe(PEER);
  });

  it('is unknown where the connection is gone', () => {
    expect(clientAddress(undefined, '203.0.113.7', oneProxy)).toBeUndefined();
  });
});
