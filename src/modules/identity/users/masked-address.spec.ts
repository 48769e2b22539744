import { describe, expect, it } from '@jest/globals';
import { maskedAddress } from './masked-address.js';

describe('a masked address', () => {
  it.each([
    ['jane.doe@example.com', 'j***@example.com'],
    ['j@example.com', 'j***@example.com'],
    ['ø@example.com', 'ø***@example.com'],
    ['𝒿ane@example.com', '𝒿***@example.com'],
  ])('shows of %s the first character and the domain alone', (email, masked) => {
    expect(maskedAddress(email)).toBe(masked);
  });
});
