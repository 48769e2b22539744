import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { programOf } from './program-name.js';
import { anyText } from '../../../test/support/property-runs.js';

describe('the program of a request', () => {
  it.each([
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:146.0) Gecko/20100101 Firefox/146.0', 'Firefox on Windows'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
      'Chrome on Linux',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 16; SM-S938B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36',
      'Samsung Internet on Android',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1',
      'Chrome on iPhone',
    ],
    ['curl/8.14.1', 'curl'],
    ['URGENT - your account was hacked. Restore it at https://evil.example/x', 'an unknown program'],
    ['Firefox/1 https://evil.example', 'Firefox'],
    [null, 'an unknown program'],
  ])('is recognized from the header %j as %s', (header, name) => {
    expect(programOf(header)).toBe(name);
  });

  it('never says a word of the header', () => {
    const known =
      /^(an unknown program|[A-Z][A-Za-z]+( (Internet|Browser))?|curl)( on (iPhone|iPad|macOS|[A-Z][A-Za-z]+))?$/;
    const marks = fc.constantFrom('Firefox/', 'Edg/', 'Windows', 'Linux', 'https://evil.example', '\r\n');
    fc.assert(
      fc.property(fc.array(fc.oneof(marks, anyText())), (parts) => {
        expect(programOf(parts.join(' '))).toMatch(known);
      }),
    );
  });
});
