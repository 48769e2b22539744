import { beforeEach, describe, expect, it } from '@jest/globals';
import { AlertingApi } from '../../support/alerting-api.js';
import { type DeliveryClient, deliveryOf } from '../../support/delivery-api.js';
import { randomEmail, type Tenant, tenant } from '../../support/service.js';
import { capturedMails, mailsTo } from '../../support/service-mail.js';

describe('an email channel', () => {
  let acme: Tenant;
  let delivery: DeliveryClient;

  beforeEach(async () => {
    acme = await tenant();
    delivery = deliveryOf(acme);
  });

  async function channel(to: string[], more: object = {}): Promise<string> {
    const answer = await delivery.create({
      type: 'email',
      configuration: { to, retry_policy: { max_attempts: 1 }, ...more },
    });
    expect(answer.status).toBe(201);
    return answer.body.id as string;
  }

  it('sends one mail to each address, with the subject prefix and the id of the delivery', async () => {
    const [first, second] = [randomEmail(), randomEmail()];
    const id = await channel([first, second, first], { subject_prefix: '[prod]' });
    const answer = await delivery.test(id);
    expect(answer).toMatchObject({ ok: true, status: 'sent', response_code: null, failure_reason: null });
    for (const address of [first, second]) {
      const mails = await capturedMails(address);
      expect(mails).toHaveLength(1);
      const [mail] = mails;
      expect(mail?.subject).toBe('[prod] Test notification');
      expect(mail?.headers.find(({ key }) => key === 'x-service-delivery-id')?.value).toBe(answer.delivery_id);
      expect(mail?.to).toHaveLength(1);
    }
  });

  it('sends the name of the rule once in the text of a mail, followed by the message of the alert', async () => {
    const address = randomEmail();
    const alerts = new AlertingApi(acme);
    const rule = { keep_firing_seconds: 86_400, channel_ids: [await channel([address])] };
    await alerts.fire(await alerts.rule(rule), { message: 'card declined', payload: { amount: 12 } });
    const [mail] = await mailsTo(address);
    expect(mail?.text?.split('Payments fail')).toHaveLength(2);
    expect(mail?.text).toMatch(/^Alert: Payments fail\s+card declined\s+Event/);
  });

  it('counts a mail that is captured in a folder as sent, and shows no HTTP request of it', async () => {
    const answer = await delivery.test(await channel([randomEmail()]));
    expect(answer).toMatchObject({ ok: true, status: 'sent' });
    expect((await delivery.attempt(answer.delivery_id as string)).request).toBeNull();
  });
});
