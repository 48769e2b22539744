import { describe, expect, it } from '@jest/globals';
import { domainOf, faultIn } from './mailer.js';

const mail = { to: 'ada@example.com', subject: 'Hello', text: 'Body' };

describe('faultIn', () => {
  it('lets ordinary and international mails pass', () => {
    expect(faultIn(mail)).toBeNull();
    expect(faultIn({ ...mail, to: "o'neil+tag@mail.example.co.uk", subject: 'Grüße 👋' })).toBeNull();
    expect(faultIn({ ...mail, to: 'jörg@müller.example', headers: { 'X-Service-Delivery-Id': 'a-b-c' } })).toBeNull();
  });

  it('refuses line breaks in recipient, subject and headers', () => {
    for (const end of ['\r\n', '\n', '\r', '\u0000', '\u0085']) {
      expect(faultIn({ ...mail, to: `ada@example.com${end}Bcc: eve@example.com` })).not.toBeNull();
      expect(faultIn({ ...mail, subject: `Hello${end}Bcc: eve@example.com` })).not.toBeNull();
      expect(faultIn({ ...mail, headers: { 'X-A': `1${end}Bcc: eve@example.com` } })).not.toBeNull();
    }
    expect(faultIn({ ...mail, headers: { 'X-A: 1\r\nBcc': 'eve@example.com' } })).not.toBeNull();
  });

  it('refuses more than one address, display names and what is no address', () => {
    for (const to of [
      'a@example.com, b@example.com',
      'Ada <ada@example.com>',
      'ada',
      '@example.com',
      'a@b@c',
      '',
      'team: a@example.com;',
    ]) {
      expect(faultIn({ ...mail, to })).not.toBeNull();
    }
  });

  it('refuses headers that would change addresses or structure', () => {
    for (const name of ['Bcc', 'from', 'Content-Type', 'MIME-Version', 'Reply-To', 'Subject', 'a b']) {
      expect(faultIn({ ...mail, headers: { [name]: 'x' } })).not.toBeNull();
    }
  });
});

describe('domainOf', () => {
  it('reads the domain of a From header', () => {
    expect(domainOf('Service <no-reply@mail.example.com>')).toBe('mail.example.com');
    expect(domainOf('no-reply@example.com')).toBe('example.com');
    expect(domainOf('nobody')).toBe('localhost');
  });
});
