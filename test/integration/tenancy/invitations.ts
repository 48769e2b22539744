import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Mailer } from '../../../src/platform/mail/index.js';
import { MaintenanceRunner } from '../../../src/platform/maintenance/maintenance-task.js';
import { type Actor, type Owner, ownerWithProject, randomEmail, signedIn } from '../../support/actors.js';
import type { TestApp } from '../../support/app.js';

interface Invitation {
  id: string;
  status: string;
}

interface Audit {
  action: string;
  outcome: string;
  invitation_id: string | null;
  /** Null: not an act over HTTP. */
  request_id: string | null;
}

export function describeInvitations(service: () => TestApp): void {
  describe('an invitation', () => {
    let app: TestApp;

    beforeAll(() => {
      app = service();
    });

    const act = (actor: Actor, id: string, action: string) =>
      app.request().post(`/v1/organizations/invites/${id}/${action}`).set('Authorization', actor.bearer);
    const get = (actor: Actor, path: string) => app.request().get(path).set('Authorization', actor.bearer);

    async function invited(owner: Owner, email: string): Promise<Invitation> {
      const answer = await app
        .request()
        .post(`/v1/organizations/${owner.organizationId}/invites`)
        .set('Authorization', owner.bearer)
        .send({ email })
        .expect(201);
      return answer.body as Invitation;
    }

    async function listed(owner: Owner): Promise<Invitation[]> {
      return (await get(owner, `/v1/organizations/${owner.organizationId}/invites`).expect(200)).body as Invitation[];
    }

    async function audits(owner: Owner): Promise<Audit[]> {
      const path = `/v1/organizations/${owner.organizationId}/invitation-audits`;
      return (await get(owner, path).expect(200)).body as Audit[];
    }

    const expire = (id: string) => app.rows(`UPDATE invitations SET expires_at = now() WHERE id = $1`, [id]);
    const letAMinutePass = (id: string) =>
      app.rows(`UPDATE invitations SET last_sent_at = last_sent_at - interval '60 seconds' WHERE id = $1`, [id]);

    it('reads as expired at once, is marked as expired by maintenance, and does not prevent the next invitation', async () => {
      const owner = await ownerWithProject(app);
      const [email, other] = [randomEmail(), randomEmail()];
      const [first, second] = [await invited(owner, email), await invited(owner, other)];
      const statusIn = (id: string) => app.rows('SELECT status FROM invitations WHERE id = $1', [id]);
      for (const { id } of [first, second]) await expire(id);
      expect((await listed(owner)).map(({ status }) => status)).toEqual(['expired', 'expired']);
      expect(await statusIn(first.id)).toEqual([{ status: 'pending' }]);
      await invited(owner, email);
      expect(await statusIn(first.id)).toEqual([{ status: 'expired' }]);
      await app.nest.get(MaintenanceRunner, { strict: false }).run();
      await app.nest.get(MaintenanceRunner, { strict: false }).run();
      expect(await statusIn(second.id)).toEqual([{ status: 'expired' }]);
      const expired = (await audits(owner)).filter(({ action }) => action === 'expire');
      expect(expired.map((record) => record.invitation_id).sort()).toEqual([first.id, second.id].sort());
      expect(expired.map(({ outcome, request_id }) => [outcome, request_id === null])).toEqual([
        ['success', true],
        ['success', false],
      ]);
    });

    it('records whether its mail was sent, and stays pending when the mail failed', async () => {
      const owner = await ownerWithProject(app);
      const person = await signedIn(app);
      const send = jest.spyOn(app.nest.get(Mailer), 'send');
      try {
        send.mockResolvedValueOnce({ status: 'failed', transient: true, error: 'no route', messageId: '<1@x>' });
        const failed = await invited(owner, person.email);
        expect(failed).toMatchObject({ status: 'pending', email_sent: false, delivery_status: 'failed' });
        await letAMinutePass(failed.id);
        send.mockResolvedValueOnce({ status: 'sent', messageId: '<2@x>' });
        const sent = await act(owner, failed.id, 'resend').expect(200);
        expect(sent.body).toMatchObject({ status: 'pending', email_sent: true, delivery_status: 'sent' });
        await act(person, failed.id, 'accept').expect(200);
      } finally {
        send.mockRestore();
      }
    });
  });
}
