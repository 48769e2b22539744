import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { asProjectId } from '../../../access/index.js';
import type { StoredNotification } from './alert-notification.js';
import { slackMessage, slackText } from './slack.driver.js';
import { webhookBody } from './webhook.driver.js';
import { anyText } from '../../../../../test/support/property-runs.js';

const NOTIFICATION: StoredNotification = {
  alertEventId: '0199f3a1-0000-7000-8000-000000000001',
  alertRuleId: '0199f3a1-0000-7000-8000-000000000002',
  ruleName: 'Payments fail',
  projectId: asProjectId('0199f3a1-0000-7000-8000-000000000003'),
  eventId: '0199f3a1-0000-7000-8000-000000000004',
  eventType: 'payment.failed',
  source: 'checkout',
  sourceId: null,
  severity: 'critical',
  status: 'open',
  message: 'Amount > 100 & rising',
  payload: { amount: 120 },
  occurrences: 1,
  createdAt: '2026-03-01T12:00:00.000Z',
};

const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt);/g, (_, name: 'amp' | 'lt' | 'gt') => ({ amp: '&', lt: '<', gt: '>' })[name]);

describe('the body of a webhook', () => {
  it('has the documented fields and no other', () => {
    expect(webhookBody(NOTIFICATION)).toEqual({
      alert_event_id: NOTIFICATION.alertEventId,
      alert_rule_id: NOTIFICATION.alertRuleId,
      project_id: NOTIFICATION.projectId,
      event_id: NOTIFICATION.eventId,
      event_type: 'payment.failed',
      source: 'checkout',
      severity: 'critical',
      status: 'open',
      message: 'Amount > 100 & rising',
      payload: { amount: 120 },
      created_at: '2026-03-01T12:00:00.000Z',
    });
  });

  it('says in the payload how many occurrences it stands for, whatever the sender calls so', () => {
    expect(webhookBody({ ...NOTIFICATION, occurrences: 10_000 }).payload).toEqual({ amount: 120, occurrences: 10_000 });
    expect(webhookBody({ ...NOTIFICATION, occurrences: 2, payload: null }).payload).toEqual({ occurrences: 2 });
    expect(webhookBody({ ...NOTIFICATION, occurrences: 2, payload: { occurrences: 7 } }).payload).toEqual({
      occurrences: 2,
    });
    expect(webhookBody({ ...NOTIFICATION, payload: null }).payload).toBeNull();
  });
});

describe('a message to Slack', () => {
  it('has blocks and a plain text to fall back on', () => {
    const { text, blocks } = slackMessage({ ...NOTIFICATION, occurrences: 12 });
    expect(text).toBe('[CRITICAL] Payments fail: Amount &gt; 100 &amp; rising');
    expect(blocks.map(({ type }) => type)).toEqual(['section', 'section', 'context']);
    expect(JSON.stringify(blocks)).toContain('*Occurrences*\\n12');
    expect(slackMessage({ ...NOTIFICATION, status: 'resolved' }).text).toMatch(/^\[RESOLVED\] /);
  });

  it('says the name of the rule once', () => {
    const { text, blocks } = slackMessage({ ...NOTIFICATION, message: 'Payments fail: card declined' });
    expect(text).toBe('[CRITICAL] Payments fail: card declined');
    expect(JSON.stringify(blocks).split('Payments fail')).toHaveLength(2);
  });

  it('is never without text, whatever the alert lacks', () => {
    const bare = { ruleName: null, eventType: null, source: null, severity: null, status: null, message: '  ' };
    const { text, blocks } = slackMessage({ ...NOTIFICATION, ...bare, alertEventId: null });
    expect(text).toBe('[ALERT] Alert');
    expect(blocks).toHaveLength(2);
  });

  it('cuts no text that just fits', () => {
    expect(slackText('0123456789', 10)).toBe('0123456789');
    expect(slackText('01234567890', 10)).toBe('012345678…');
    expect(slackText('012345&', 11)).toBe('012345&amp;');
    expect(slackText('012345&', 10)).toBe('012345…');
  });

  it('shows any text as it is, makes nothing of it, and keeps the limits', () => {
    const texts = fc.oneof(
      anyText({ maxLength: 4_000 }),
      fc
        .array(fc.constantFrom('<!channel>', '&lt;', '<@U1|x>', '&', '>', 'plain '), { maxLength: 900 })
        .map((x) => x.join('')),
    );
    const optional = fc.option(texts, { nil: null });
    fc.assert(
      fc.property(optional, optional, optional, optional, (ruleName, message, source, eventType) => {
        const { text, blocks } = slackMessage({ ...NOTIFICATION, ruleName, message, source, eventType });
        const parts = blocks.flatMap((block) => {
          if ('elements' in block) return block.elements;
          return 'fields' in block ? block.fields : [block.text];
        });
        for (const part of [text, ...parts.map((one) => one.text)]) {
          expect(part.length).toBeGreaterThan(0);
          expect(part.length).toBeLessThanOrEqual(3_000);
          expect(part).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
        }
        for (const block of blocks) {
          if ('fields' in block) for (const field of block.fields) expect(field.text.length).toBeLessThanOrEqual(2_000);
        }
      }),
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: 10, max: 4_000 }), (text, most) => {
        const escaped = slackText(text, most);
        expect(escaped.length).toBeLessThanOrEqual(most);
        const shown = unescaped(escaped);
        expect(shown === text || text.startsWith(shown.slice(0, -1))).toBe(true);
      }),
    );
  });
});
