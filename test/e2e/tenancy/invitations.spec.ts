import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'supertest';
import { Mailer } from '../../../src/platform/mail/index.js';
import { MaintenanceRunner } from '../../../src/platform/maintenance/maintenance-task.js';
import { type Actor, addMember, type Owner, ownerWithProject, randomEmail, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { outOfStep, withoutPlanLimits } from '../../support/memberships.js';
import { mailsTo, tokenIn, waitForMails } from '../../support/outbox.js';

const NOBODY = '0199f3a1-0000-7000-8000-000000000000';
const RECORD_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
const DAY_MS = 24 * 3600 * 1000;

interface Invitation {
  id: string;
  status: string;
  role: string;
  created_at: string;
  expires_at: string;
  last_sent_at: string;
}

interface Audit {
  action: string;
  outcome: string;
  reason_code: string | null;
  requested_role: string;
  invitation_id: string | null;
  /** Null: not an act over HTTP. */
  request_id: string | null;
}

describe('invitations', () => {
  let app: TestApp;

  beforeAll(async () => {
    // Maintenance comes when the test says so.
    app = await createTestApp({ env: { PROCESS_ROLE: 'api' } });
  });
  afterAll(() => app.close());

  const invite = (actor: Actor, owner: Owner, body: object) =>
    app
      .request()
      .post(`/v1/organizations/${owner.organizationId}/invites`)
      .set('Authorization', actor.bearer)
      .send(body);
  const act = (actor: Actor, id: string, action: string, body?: object) => {
    const request = app.request().post(`/v1/organizations/invites/${id}/${action}`).set('Authorization', actor.bearer);
    return body === undefined ? request : request.send(body);
  };
  const get = (actor: Actor, path: string) => app.request().get(path).set('Authorization', actor.bearer);

  async function invited(owner: Owner, email: string, role?: string): Promise<Invitation> {
    return (await invite(owner, owner, { email, role }).expect(201)).body as Invitation;
  }

  async function listed(owner: Owner): Promise<Invitation[]> {
    return (await get(owner, `/v1/organizations/${owner.organizationId}/invites`).expect(200)).body as Invitation[];
  }

  async function audits(owner: Owner, query = ''): Promise<Audit[]> {
    const path = `/v1/organizations/${owner.organizationId}/invitation-audits${query}`;
    return (await get(owner, path).expect(200)).body as Audit[];
  }

  /** `action outcome reason` of every audit record, oldest first. */
  async function history(owner: Owner): Promise<string[]> {
    const all = await audits(owner);
    return all
      .reverse()
      .map(({ action, outcome, reason_code }) => [action, outcome, reason_code ?? ''].join(' ').trim());
  }

  /** The token of the mail last sent to the address about this invitation. */
  async function tokenOf(email: string, invitation: Invitation): Promise<string> {
    const mails = (await mailsTo(app.dataDir, email)).filter((mail) => mail.text?.includes(invitation.id));
    return tokenIn(mails.at(-1)!);
  }

  const expire = (id: string) => app.rows(`UPDATE invitations SET expires_at = now() WHERE id = $1`, [id]);
  const letAMinutePass = (id: string) =>
    app.rows(`UPDATE invitations SET last_sent_at = last_sent_at - interval '60 seconds' WHERE id = $1`, [id]);
  const roleOf = async (owner: Owner, userId: string): Promise<string | undefined> =>
    (
      await app.rows<{ role: string }>(
        'SELECT role FROM organization_members WHERE organization_id = $1 AND user_id = $2',
        [owner.organizationId, userId],
      )
    )[0]?.role;
  const statuses = (answers: Response[]): number[] => answers.map((answer) => answer.status).sort();

  it('lets a person without an account register and then accept by the mailed link', async () => {
    const owner = await ownerWithProject(app);
    const email = randomEmail();
    const invitedAs = email.replace('user', 'USER');
    const answer = await invite(owner, owner, { email: invitedAs }).set('X-Request-ID', 'invite-1').expect(201);
    const invitation = answer.body as Invitation;
    expect(invitation).toEqual({
      id: expect.any(String),
      organization_id: owner.organizationId,
      email: 'U***@example.com',
      role: 'operator',
      status: 'pending',
      created_at: RECORD_TIME,
      expires_at: RECORD_TIME,
      last_sent_at: invitation.created_at,
      email_sent: false,
      delivery_status: 'not_configured',
    });
    expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(7 * DAY_MS);
    expect(await listed(owner)).toEqual([invitation]);

    const [mail] = await waitForMails(app.dataDir, invitedAs, 1);
    const token = tokenIn(mail!);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(mail?.text).toContain(`/invites/${invitation.id}?token=${token}`);
    const stored = JSON.stringify(await app.rows('SELECT * FROM invitations, audit_events'));
    expect(stored).not.toContain(token);
    expect(app.logLines.join('')).not.toContain(token);

    const person = await signedIn(app, email);
    await get(person, `/v1/projects/${owner.projectId}`).expect(403);
    await act(person, invitation.id, 'accept', { token }).expect(200, {
      organization_id: owner.organizationId,
      role: 'operator',
      status: 'accepted',
    });
    await get(person, `/v1/projects/${owner.projectId}`).expect(200);
    expect(await roleOf(owner, person.id)).toBe('operator');
    expect(await outOfStep(app, owner.organizationId)).toEqual([]);
    expect(await listed(owner)).toEqual([{ ...invitation, status: 'accepted' }]);

    const records = await audits(owner);
    const record = { outcome: 'success', reason_code: null, requested_role: 'operator', invitation_id: invitation.id };
    const own = { id: expect.any(String), created_at: RECORD_TIME };
    expect(records).toEqual([
      { ...own, ...record, action: 'accept', request_id: expect.any(String) },
      { ...own, ...record, action: 'create', request_id: 'invite-1' },
    ]);
    const actions = await app.rows<{ action: string; detail: object }>(
      `SELECT action, detail FROM audit_events WHERE actor_user_id = $1 ORDER BY created_at, id`,
      [person.id],
    );
    expect(actions).toEqual([
      { action: 'member.joined', detail: { role: 'operator', invitation_id: invitation.id } },
      { action: 'invitation.accepted', detail: expect.objectContaining({ outcome: 'success' }) },
    ]);
  });

  it('accepts by the verified address alone, without a body', async () => {
    const owner = await ownerWithProject(app);
    const person = await signedIn(app);
    const { id } = await invited(owner, person.email, 'viewer');
    await act(person, id, 'accept').expect(200, {
      organization_id: owner.organizationId,
      role: 'viewer',
      status: 'accepted',
    });
    expect(await roleOf(owner, person.id)).toBe('viewer');
  });

  it('refuses a wrong account, a wrong token and an unknown invitation, in the order of checks', async () => {
    const owner = await ownerWithProject(app);
    const [person, thief] = [await signedIn(app), await signedIn(app)];
    const invitation = await invited(owner, person.email);
    const token = await tokenOf(person.email, invitation);
    for (const action of ['accept', 'decline']) {
      await act(thief, invitation.id, action, { token }).expect(403, {
        detail: 'Invitation belongs to another account',
      });
      await act(thief, NOBODY, action).expect(404, { detail: 'Invitation not found' });
      await act(thief, 'nope', action).expect(422);
    }
    await act(thief, invitation.id, 'accept', { token: 'short' }).expect(403);
    await act(owner, invitation.id, 'accept').expect(403, { detail: 'Invitation belongs to another account' });
    await act(person, NOBODY, 'accept', { token: 'short' }).expect(404);
    const short = await act(person, invitation.id, 'accept', { token: 'short' }).expect(422);
    expect(short.body).toMatchObject({
      detail: [{ type: 'string_too_short', loc: ['body', 'token'], input: '[redacted]', ctx: { min_length: 10 } }],
    });
    const wrong = `${token.slice(0, -4)}AAAA`;
    await act(person, invitation.id, 'accept', { token: wrong }).expect(403, { detail: 'Invalid invitation token' });
    await app.rows('UPDATE users SET email_verified_at = NULL WHERE id = $1', [person.id]);
    await act(person, invitation.id, 'accept', { token }).expect(403, {
      detail: 'Invitation belongs to another account',
    });
    expect(await roleOf(owner, person.id)).toBeUndefined();
    expect((await listed(owner))[0]?.status).toBe('pending');
    expect(await history(owner)).toEqual([
      'create success',
      'accept refused wrong_account',
      'decline refused wrong_account',
      'accept refused wrong_account',
      'accept refused wrong_account',
      'accept refused invalid_token',
      'accept refused wrong_account',
    ]);
  });

  it('makes one membership of acceptances at the same time, by two sessions and two accounts', async () => {
    const owner = await ownerWithProject(app);
    const [person, other] = [await signedIn(app), await signedIn(app)];
    const invitation = await invited(owner, person.email);
    const token = await tokenOf(person.email, invitation);
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => act(person, invitation.id, 'accept', { token })),
      ...Array.from({ length: 3 }, () => act(other, invitation.id, 'accept', { token })),
      act(person, invitation.id, 'decline'),
    ]);
    expect(statuses(answers.slice(6, 9))).toEqual([403, 403, 403]);
    const own = [...answers.slice(0, 6), answers[9]!];
    expect(statuses(own)).toEqual([200, 409, 409, 409, 409, 409, 409]);
    const members = await app.rows('SELECT 1 FROM organization_members WHERE organization_id = $1', [
      owner.organizationId,
    ]);
    expect(members).toHaveLength(own[6]?.status === 200 ? 1 : 2);
    expect(await outOfStep(app, owner.organizationId)).toEqual([]);
  });

  it('answers acts on an invitation that is over with what became of it', async () => {
    const owner = await ownerWithProject(app);
    const person = await signedIn(app);
    const ends = {
      'Invitation already accepted': (id: string) => act(person, id, 'accept').expect(200),
      'Invitation already declined': (id: string) => act(person, id, 'decline').expect(200),
      'Invitation has been revoked': (id: string) => act(owner, id, 'revoke').expect(200),
      'Invitation has expired': (id: string) => expire(id),
    };
    for (const [detail, end] of Object.entries(ends)) {
      const { id } = await invited(owner, person.email);
      await end(id);
      for (const action of ['resend', 'revoke']) await act(owner, id, action).expect(409, { detail });
      for (const action of ['accept', 'decline']) await act(person, id, action).expect(409, { detail });
      await app.rows('DELETE FROM organization_members WHERE user_id = $1', [person.id]);
    }
    expect(await mailsTo(app.dataDir, person.email)).toHaveLength(4);
    expect((await listed(owner)).map(({ status }) => status)).toEqual(['expired', 'revoked', 'declined', 'accepted']);
    const reasons = (await audits(owner)).filter(({ outcome }) => outcome === 'refused').map((one) => one.reason_code);
    expect(new Set(reasons)).toEqual(new Set(['already_accepted', 'already_declined', 'revoked', 'expired']));
    expect(reasons).toHaveLength(16);
  });

  it('answers decline and revoke with the invitation, and lets both be invited again', async () => {
    const owner = await ownerWithProject(app);
    const person = await signedIn(app);
    const first = await invited(owner, person.email);
    await act(person, first.id, 'decline').expect(200, { ...first, status: 'declined' });
    const second = await invited(owner, person.email, 'viewer');
    await act(owner, second.id, 'revoke').expect(200, { ...second, status: 'revoked' });
    const third = await invited(owner, person.email);
    expect((await listed(owner)).map(({ id }) => id)).toEqual([third.id, second.id, first.id]);
    expect(await roleOf(owner, person.id)).toBeUndefined();
  });

  it('keeps one pending invitation of an address in any case of letters, and invites no member', async () => {
    const owner = await ownerWithProject(app);
    const member = await addMember(app, owner, 'viewer');
    const email = randomEmail();
    const answers = await Promise.all(
      [email, email.replace('user', 'USER'), email, email].map((address) => invite(owner, owner, { email: address })),
    );
    expect(statuses(answers)).toEqual([201, 409, 409, 409]);
    for (const { status, body } of answers)
      if (status === 409) expect(body).toEqual({ detail: 'Invitation already pending' });
    const mails = [
      ...(await mailsTo(app.dataDir, email)),
      ...(await mailsTo(app.dataDir, email.replace('user', 'USER'))),
    ];
    expect(mails).toHaveLength(1);
    await invite(owner, owner, { email: member.email.toUpperCase() }).expect(409, {
      detail: 'User is already a member',
    });
    await invite(owner, owner, { email: owner.email }).expect(409, { detail: 'User is already a member' });
    const other = await ownerWithProject(app);
    await invite(other, other, { email }).expect(201);
    expect((await history(owner)).sort()).toEqual([
      'create refused already_member',
      'create refused already_member',
      'create refused already_pending',
      'create refused already_pending',
      'create refused already_pending',
      'create success',
    ]);
    expect(
      (await audits(owner)).filter(({ outcome }) => outcome === 'refused').every((one) => one.invitation_id === null),
    ).toBe(true);
  });

  it('takes the roles operator and viewer and real addresses alone', async () => {
    const owner = await ownerWithProject(app);
    for (const role of ['owner', 'admin', 'member', 'king', '', 5]) {
      await invite(owner, owner, { email: randomEmail(), role }).expect(422);
    }
    for (const email of ['nobody', 'a@b', '', 5, null]) await invite(owner, owner, { email }).expect(422);
    expect(await listed(owner)).toEqual([]);
  });

  it('makes at most 100 invitations a day, exactly, also at the same time', async () => {
    const owner = await ownerWithProject(app);
    await app.rows(
      `INSERT INTO invitations (id, organization_id, email, email_key, role, status, token_hash, expires_at, created_at)
       SELECT gen_random_uuid(), $1, n || '@example.com', n || '@example.com', 'viewer', 'revoked', '', now(),
              now() - CASE WHEN n <= 96 THEN interval '23 hours' ELSE interval '25 hours' END
       FROM generate_series(1, 120) n`,
      [owner.organizationId],
    );
    const answers = await Promise.all(Array.from({ length: 10 }, () => invite(owner, owner, { email: randomEmail() })));
    expect(statuses(answers)).toEqual([...Array<number>(4).fill(201), ...Array<number>(6).fill(429)]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ detail: 'Invitation limit reached' });
    // The oldest one leaves the day after an hour.
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(3_000);
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(3_600);
    const pending = await app.rows(`SELECT 1 FROM invitations WHERE organization_id = $1 AND status = 'pending'`, [
      owner.organizationId,
    ]);
    expect(pending).toHaveLength(4);
    expect((await history(owner)).filter((line) => line === 'create refused daily_limit_reached')).toHaveLength(6);
    const other = await ownerWithProject(app);
    await invite(other, other, { email: randomEmail() }).expect(201);
  });

  it('mails again once a minute has passed, once however many ask, with a token that replaces the first', async () => {
    const owner = await ownerWithProject(app);
    const person = await signedIn(app);
    const invitation = await invited(owner, person.email);
    const former = await tokenOf(person.email, invitation);
    const tooSoon = { detail: 'Please wait before resending this invitation' };
    await act(owner, invitation.id, 'resend')
      .expect(429, tooSoon)
      .expect('Retry-After', /^([1-9]|[1-5][0-9]|60)$/);
    await app.rows(`UPDATE invitations SET last_sent_at = now() - interval '30 seconds' WHERE id = $1`, [
      invitation.id,
    ]);
    await act(owner, invitation.id, 'resend')
      .expect(429, tooSoon)
      .expect('Retry-After', /^([1-9]|[12][0-9]|30)$/);
    await app.rows(
      `UPDATE invitations SET last_sent_at = now() - interval '61 seconds', expires_at = now() + interval '1 hour' WHERE id = $1`,
      [invitation.id],
    );
    const answers = await Promise.all(Array.from({ length: 6 }, () => act(owner, invitation.id, 'resend')));
    expect(statuses(answers)).toEqual([200, 429, 429, 429, 429, 429]);
    const renewed = answers.find(({ status }) => status === 200)?.body as Invitation;
    expect(renewed).toEqual({ ...invitation, expires_at: RECORD_TIME, last_sent_at: RECORD_TIME });
    expect(Date.parse(renewed.expires_at) - Date.parse(renewed.last_sent_at)).toBe(7 * DAY_MS);
    expect(await mailsTo(app.dataDir, person.email)).toHaveLength(2);

    const token = await tokenOf(person.email, invitation);
    expect(token).not.toBe(former);
    await act(person, invitation.id, 'accept', { token: former }).expect(403, { detail: 'Invalid invitation token' });
    await act(person, invitation.id, 'accept', { token }).expect(200);
    expect((await history(owner)).filter((line) => line.startsWith('resend'))).toEqual(
      expect.arrayContaining(['resend success', 'resend refused resend_cooldown']),
    );
  });

  it('asks for the right of whoever mailed it last when it is accepted', async () => {
    const owner = await ownerWithProject(app);
    const admin = await addMember(app, owner, 'admin');
    const [one, two] = [await signedIn(app), await signedIn(app)];
    const first = (await invite(admin, owner, { email: one.email }).expect(201)).body as Invitation;
    const second = (await invite(admin, owner, { email: two.email }).expect(201)).body as Invitation;
    const member = `/v1/organizations/${owner.organizationId}/members/${admin.id}`;
    await app.request().patch(member).set('Authorization', owner.bearer).send({ role: 'operator' }).expect(200);
    await invite(admin, owner, { email: randomEmail() }).expect(403, { detail: 'Admin role required' });
    await act(one, first.id, 'accept').expect(409, { detail: 'Inviter may no longer invite' });
    expect((await history(owner)).at(-1)).toBe('accept refused inviter_without_right');
    await app.request().delete(member).set('Authorization', owner.bearer).expect(200);
    await act(two, second.id, 'accept').expect(409, { detail: 'Inviter may no longer invite' });
    await letAMinutePass(second.id);
    await act(owner, second.id, 'resend').expect(200);
    await act(two, second.id, 'accept').expect(200);
    expect(await roleOf(owner, one.id)).toBeUndefined();
  });

  it('never changes the role of somebody who is a member already', async () => {
    const owner = await ownerWithProject(app);
    const admin = await addMember(app, owner, 'admin');
    const email = randomEmail();
    const { id } = await invited(owner, email, 'viewer');
    await app.rows('UPDATE users SET email = $1, email_key = $1 WHERE id = $2', [email, admin.id]);
    await act(admin, id, 'accept').expect(409, { detail: 'User is already a member' });
    expect(await roleOf(owner, admin.id)).toBe('admin');
  });

  it('shows an invitation to admins of its organization alone', async () => {
    const owner = await ownerWithProject(app);
    const [stranger, viewer] = [await ownerWithProject(app), await addMember(app, owner, 'viewer')];
    const { id } = await invited(owner, randomEmail());
    await letAMinutePass(id);
    for (const action of ['resend', 'revoke']) {
      await act(stranger, id, action).expect(404, { detail: 'Invitation not found' });
      await act(stranger, NOBODY, action).expect(404, { detail: 'Invitation not found' });
      await act(owner, NOBODY, action).expect(404, { detail: 'Invitation not found' });
      await act(viewer, id, action).expect(403, { detail: 'Admin role required' });
      await act(owner, 'nope', action).expect(422);
    }
    for (const path of ['invites', 'invitation-audits']) {
      const url = `/v1/organizations/${owner.organizationId}/${path}`;
      await get(stranger, url).expect(403, { detail: 'Not an organization member' });
      await get(viewer, url).expect(403, { detail: 'Admin role required' });
    }
    await invite(stranger, owner, { email: 'nobody' }).expect(403, { detail: 'Not an organization member' });
  });

  it('reads as expired at once, is marked by maintenance, and makes room for the next', async () => {
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

  it('tells in the record what became of the mail, and keeps the invitation when it failed', async () => {
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

  it('cannot be used to write into the mail by the name of an organization', async () => {
    const owner = await ownerWithProject(app);
    await app.rows('UPDATE organizations SET name = $1 WHERE id = $2', [
      'Acme"\r\n\r\nYour account is locked:\u2028https://evil.example\u202e',
      owner.organizationId,
    ]);
    const email = randomEmail();
    await invited(owner, email);
    const [mail] = await waitForMails(app.dataDir, email, 1);
    expect(mail?.text?.split('\n')[0]).toContain('"Acme Your account is locked https evil example" at');
    expect(mail?.text).not.toMatch(/[\u2028\u202e]/);
  });

  it('lists audit records newest first, 50 unless told, 1 to 500', async () => {
    const owner = await ownerWithProject(app);
    await withoutPlanLimits(app, owner.organizationId);
    for (let n = 0; n < 3; n += 1) await invite(owner, owner, { email: owner.email }).expect(409);
    await app.rows(
      `INSERT INTO audit_events (id, organization_id, action, target_type, detail, created_at)
       SELECT gen_random_uuid(), $1, 'invitation.created', 'invitation',
              '{"act": "create", "outcome": "success", "reason_code": null, "requested_role": "viewer"}', now() - interval '1 day'
       FROM generate_series(1, 60)`,
      [owner.organizationId],
    );
    expect(await audits(owner)).toHaveLength(50);
    expect(await audits(owner, '?limit=500')).toHaveLength(63);
    expect((await audits(owner, '?limit=3')).map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'refused']);
    const path = `/v1/organizations/${owner.organizationId}/invitation-audits`;
    for (const limit of ['0', '501', 'x', '']) await get(owner, `${path}?limit=${limit}`).expect(422);
  });
});
