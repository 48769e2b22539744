import { describe, expect, it } from '@jest/globals';
import { recommendedAction } from './status-rules.js';

describe('the billing status', () => {
  it.each([
    ['billing_inactive', 'upgrade'],
    ['limit_exceeded', 'upgrade'],
    ['request_limit_exceeded', 'none'],
    ['blocked', 'contact_support'],
    [null, 'none'],
  ] as const)('recommends for %s: %s', (reason, action) => {
    expect(recommendedAction(reason)).toBe(action);
  });
});
