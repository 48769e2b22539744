import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { account, type Account, api, randomEmail, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { capturedMails, mailsTo, tokenIn } from '../../support/service-mail.js';
import {
  auditEntriesBy,
  changeAddress,
  expireInvitation,
  invitationAuditsOfYesterday,
  letAMinutePass,
  removeVerification,
  renameOrganization,
  revokedInvitations,
  roleDifferences,
  setMailAge,
  storedInvitationsAndAuditEntries,
} from '../../support/sql-builders/invitations.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';

const NOBODY = '0199f3a1-0000-7000-8000-000000000000';
const RECORD_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
const DAY_MS = 24 * 3600 * 1000;
const NOT_FOUND = { detail: 'Invitation not found' };
const OF_ANOTHER = { detail: 'Invitation belongs to another account' };
const ALREADY_MEMBER = { detail: 'User is already a member' };
const ADMIN_REQUIRED = { detail: 'Admin role required' };
const NOT_A_MEMBER = { detail: 'Not an organization member' };

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
}

interface Member {
  user_id: string;
  role: string;
}

describe('an invitation', () => {
  let acme: Tenant;

  beforeEach(async () => {
    acme = await tenant();
  });

  const path = (rest: string, { organizationId }: Tenant = acme) => `/v1/organizations/${organizationId}/${rest}`;
  const invite = (body: object, by: Account = acme.owner, to: Tenant = acme) =>
    api.as(by).post(path('invites', to), body);
  const invited = async (email: string, role?: string) =>
    (await invite({ email, role }).expect(201)).body as Invitation;
  const act = (by: Account, id: string, action: string, body?: object) =>
    api.as(by).post(`/v1/organizations/invites/${id}/${action}`, body);
  const list = async () => (await api.as(acme.owner).get(path('invites')).expect(200)).body as Invitation[];
  const audits = async (query: object = {}) =>
    (await api.as(acme.owner).get(path('invitation-audits'), query).expect(200)).body as Audit[];
  /** `action outcome reason` of every audit record, the oldest first. */
  const history = async (): Promise<string[]> =>
    (await audits())
      .reverse()
      .map(({ action, outcome, reason_code }) => [action, outcome, reason_code ?? ''].join(' ').trim());
  const members = async () => (await api.as(acme.owner).get(path('members')).expect(200)).body as Member[];
  const roleOf = async (user: Account) => (await members()).find(({ user_id }) => user_id === user.id)?.role;
  const removeMember = (user: Account) => api.as(acme.owner).delete(path(`members/${user.id}`));
  /** The token of the mail about the invitation that the address got last. */
  const tokenOf = async (email: string, { id }: Invitation): Promise<string> => {
    const mails = (await capturedMails(email)).filter((mail) => mail.text?.includes(id));
    return tokenIn(mails.at(-1)!);
  };
  const statuses = (answers: readonly Response[]): number[] => answers.map(({ status }) => status).sort();

  it('lets a person without an account register and then accept it by the mailed link', async () => {
    const email = randomEmail();
    const invitedAs = email.replace('user', 'USER');
    const answer = await invite({ email: invitedAs }).set('X-Request-ID', 'invite-1').expect(201);
    const invitation = answer.body as Invitation;
    expect(invitation).toEqual({
      id: expect.any(String),
      organization_id: acme.organizationId,
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
    expect(await list()).toEqual([invitation]);

    const [mail] = await mailsTo(invitedAs);
    const token = tokenIn(mail!);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(mail?.text).toContain(`/invites/${invitation.id}?token=${token}`);

    const person = await account(email);
    const project = `/v1/projects/${acme.projectId}`;
    await api.as(person).get(project).expect(403);
    await act(person, invitation.id, 'accept', { token }).expect(200, {
      organization_id: acme.organizationId,
      role: 'operator',
      status: 'accepted',
    });
    await api.as(person).get(project).expect(200);
    expect(await roleOf(person)).toBe('operator');
    expect(await roleDifferences(acme.organizationId)).toEqual([]);
    expect(await list()).toEqual([{ ...invitation, status: 'accepted' }]);

    const record = { outcome: 'success', reason_code: null, requested_role: 'operator', invitation_id: invitation.id };
    const own = { id: expect.any(String), created_at: RECORD_TIME };
    expect(await audits()).toEqual([
      { ...own, ...record, action: 'accept', request_id: expect.any(String) },
      { ...own, ...record, action: 'create', request_id: 'invite-1' },
    ]);
    expect(await auditEntriesBy(person.id)).toEqual([
      { action: 'member.joined', detail: { role: 'operator', invitation_id: invitation.id } },
      { action: 'invitation.accepted', detail: expect.objectContaining({ outcome: 'success' }) },
    ]);
  });

  it('names the organization, the role and the inviter to the invited person alone', async () => {
    const person = await account();
    const { id, expires_at } = await invited(person.email, 'viewer');
    const read = (by: Account, invitation = id) => api.as(by).get(`/invitations/${invitation}`);
    const described = {
      id,
      organization_name: 'Acme',
      role: 'viewer',
      invited_by: 'u***@example.com',
      status: 'pending',
      expires_at,
    };
    await read(person).expect(200, described);
    await api.as(acme.owner).patch('/v1/account', { name: 'Ada' }).expect(200);
    await read(person).expect(200, { ...described, invited_by: 'Ada' });
    await read(await account()).expect(403, OF_ANOTHER);
    await read(acme.owner).expect(403, OF_ANOTHER);
    await read(person, NOBODY).expect(404, NOT_FOUND);
    await read(person, 'x').expect(422);
    await api.get(`/invitations/${id}`).expect(401);
    await removeVerification(person.id);
    await read(person).expect(403, OF_ANOTHER);
  });

  it('has a token that is neither stored as it is nor logged', async () => {
    const email = randomEmail();
    const { id } = await invited(email);
    const [mail] = await mailsTo(email);
    const token = tokenIn(mail!);
    const stored = await storedInvitationsAndAuditEntries(acme.organizationId);
    expect(stored).toContain(id);
    expect(stored).not.toContain(token);
    expect(await logText()).not.toContain(token);
  });

  it('can be accepted without the token by the account whose verified address was invited', async () => {
    const person = await account();
    const { id } = await invited(person.email, 'viewer');
    await act(person, id, 'accept').expect(200, {
      organization_id: acme.organizationId,
      role: 'viewer',
      status: 'accepted',
    });
    expect(await roleOf(person)).toBe('viewer');
  });

  it('returns 403 to a wrong account or with a wrong token, and 404 when it is unknown', async () => {
    const [person, thief] = [await account(), await account()];
    const invitation = await invited(person.email);
    const token = await tokenOf(person.email, invitation);
    for (const action of ['accept', 'decline']) {
      await act(thief, invitation.id, action, { token }).expect(403, OF_ANOTHER);
      await act(thief, NOBODY, action).expect(404, NOT_FOUND);
      await act(thief, 'nope', action).expect(422);
    }
    await act(thief, invitation.id, 'accept', { token: 'short' }).expect(403);
    await act(acme.owner, invitation.id, 'accept').expect(403, OF_ANOTHER);
    await act(person, NOBODY, 'accept', { token: 'short' }).expect(404);
    const short = await act(person, invitation.id, 'accept', { token: 'short' }).expect(422);
    expect(short.body).toMatchObject({
      detail: [{ type: 'string_too_short', loc: ['body', 'token'], input: '[redacted]', ctx: { min_length: 10 } }],
    });
    const wrong = `${token.slice(0, -4)}AAAA`;
    await act(person, invitation.id, 'accept', { token: wrong }).expect(403, { detail: 'Invalid invitation token' });
    await removeVerification(person.id);
    await act(person, invitation.id, 'accept', { token }).expect(403, OF_ANOTHER);
    expect(await roleOf(person)).toBeUndefined();
    expect((await list())[0]?.status).toBe('pending');
    expect(await history()).toEqual([
      'create success',
      'accept refused wrong_account',
      'decline refused wrong_account',
      'accept refused wrong_account',
      'accept refused wrong_account',
      'accept refused invalid_token',
      'accept refused wrong_account',
    ]);
  });

  it('makes one member when several requests accept and decline it at once', async () => {
    const [person, other] = [await account(), await account()];
    const invitation = await invited(person.email);
    const token = await tokenOf(person.email, invitation);
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => act(person, invitation.id, 'accept', { token })),
      ...Array.from({ length: 3 }, () => act(other, invitation.id, 'accept', { token })),
      act(person, invitation.id, 'decline'),
    ]);
    expect(statuses(answers.slice(6, 9))).toEqual([403, 403, 403]);
    const own = [...answers.slice(0, 6), answers[9]!];
    expect(statuses(own)).toEqual([200, 409, 409, 409, 409, 409, 409]);
    const isDeclined = own[6]?.status === 200;
    expect(await members()).toHaveLength(isDeclined ? 1 : 2);
    expect(await roleDifferences(acme.organizationId)).toEqual([]);
  });

  it('returns 409 that says what ended it', async () => {
    const person = await account();
    const ends = {
      'Invitation already accepted': (id: string) => act(person, id, 'accept').expect(200),
      'Invitation already declined': (id: string) => act(person, id, 'decline').expect(200),
      'Invitation has been revoked': (id: string) => act(acme.owner, id, 'revoke').expect(200),
      'Invitation has expired': (id: string) => expireInvitation(id),
    };
    for (const [detail, end] of Object.entries(ends)) {
      const { id } = await invited(person.email);
      await end(id);
      for (const action of ['resend', 'revoke']) await act(acme.owner, id, action).expect(409, { detail });
      for (const action of ['accept', 'decline']) await act(person, id, action).expect(409, { detail });
      if (detail === 'Invitation already accepted') await removeMember(person).expect(200);
    }
    expect(await capturedMails(person.email)).toHaveLength(4);
    expect((await list()).map(({ status }) => status)).toEqual(['expired', 'revoked', 'declined', 'accepted']);
    const reasons = (await audits()).filter(({ outcome }) => outcome === 'refused').map((one) => one.reason_code);
    expect(new Set(reasons)).toEqual(new Set(['already_accepted', 'already_declined', 'revoked', 'expired']));
    expect(reasons).toHaveLength(16);
  });

  it('is returned when it is declined or revoked, and the address can be invited again', async () => {
    const person = await account();
    const first = await invited(person.email);
    await act(person, first.id, 'decline').expect(200, { ...first, status: 'declined' });
    const second = await invited(person.email, 'viewer');
    await act(acme.owner, second.id, 'revoke').expect(200, { ...second, status: 'revoked' });
    const third = await invited(person.email);
    expect((await list()).map(({ id }) => id)).toEqual([third.id, second.id, first.id]);
    expect(await roleOf(person)).toBeUndefined();
  });

  it('returns 409 when the address has a pending one or is that of a member, in upper and lower case', async () => {
    const member = await acme.viewer();
    const earlier = await history();
    const email = randomEmail();
    const inUpperCase = email.replace('user', 'USER');
    const answers = await Promise.all([email, inUpperCase, email, email].map((address) => invite({ email: address })));
    expect(statuses(answers)).toEqual([201, 409, 409, 409]);
    for (const { status, body } of answers) {
      if (status === 409) expect(body).toEqual({ detail: 'Invitation already pending' });
    }
    expect([...(await capturedMails(email)), ...(await capturedMails(inUpperCase))]).toHaveLength(1);
    await invite({ email: member.email.toUpperCase() }).expect(409, ALREADY_MEMBER);
    await invite({ email: acme.owner.email }).expect(409, ALREADY_MEMBER);
    const globex = await tenant();
    await invite({ email }, globex.owner, globex).expect(201);
    expect((await history()).slice(earlier.length).sort()).toEqual([
      'create refused already_member',
      'create refused already_member',
      'create refused already_pending',
      'create refused already_pending',
      'create refused already_pending',
      'create success',
    ]);
    const refused = (await audits()).filter(({ outcome }) => outcome === 'refused');
    expect(refused.every((one) => one.invitation_id === null)).toBe(true);
  });

  it('returns 422 with another role than operator and viewer, or with an invalid address', async () => {
    for (const role of ['owner', 'admin', 'member', 'king', '', 5]) {
      await invite({ email: randomEmail(), role }).expect(422);
    }
    for (const email of ['nobody', 'a@b', '', 5, null]) await invite({ email }).expect(422);
    expect(await list()).toEqual([]);
  });

  it('returns 429 when its organization has 100 of the last day, also in a race', async () => {
    await revokedInvitations(acme.organizationId, 96, 23);
    await revokedInvitations(acme.organizationId, 24, 25);
    const answers = await Promise.all(Array.from({ length: 10 }, () => invite({ email: randomEmail() })));
    expect(statuses(answers)).toEqual([...Array<number>(4).fill(201), ...Array<number>(6).fill(429)]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ detail: 'Invitation limit reached' });
    // The oldest of the 96 is a day old in an hour.
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(3_000);
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(3_600);
    expect((await list()).filter(({ status }) => status === 'pending')).toHaveLength(4);
    expect((await history()).filter((line) => line === 'create refused daily_limit_reached')).toHaveLength(6);
    const globex = await tenant();
    await invite({ email: randomEmail() }, globex.owner, globex).expect(201);
  });

  it('is mailed again after a minute, once in a race, with a token that replaces the first', async () => {
    const person = await account();
    const invitation = await invited(person.email);
    const former = await tokenOf(person.email, invitation);
    const resend = () => act(acme.owner, invitation.id, 'resend');
    const tooSoon = { detail: 'Please wait before resending this invitation' };
    await resend()
      .expect(429, tooSoon)
      .expect('Retry-After', /^([1-9]|[1-5][0-9]|60)$/);
    await setMailAge(invitation.id, 30);
    await resend()
      .expect(429, tooSoon)
      .expect('Retry-After', /^([1-9]|[12][0-9]|30)$/);
    await setMailAge(invitation.id, 61);
    const answers = await Promise.all(Array.from({ length: 6 }, resend));
    expect(statuses(answers)).toEqual([200, 429, 429, 429, 429, 429]);
    const renewed = answers.find(({ status }) => status === 200)?.body as Invitation;
    expect(renewed).toEqual({ ...invitation, expires_at: RECORD_TIME, last_sent_at: RECORD_TIME });
    expect(Date.parse(renewed.expires_at) - Date.parse(renewed.last_sent_at)).toBe(7 * DAY_MS);
    expect(await capturedMails(person.email)).toHaveLength(2);

    const token = await tokenOf(person.email, invitation);
    expect(token).not.toBe(former);
    await act(person, invitation.id, 'accept', { token: former }).expect(403, { detail: 'Invalid invitation token' });
    await act(person, invitation.id, 'accept', { token }).expect(200);
    expect((await history()).filter((line) => line.startsWith('resend'))).toEqual(
      expect.arrayContaining(['resend success', 'resend refused resend_cooldown']),
    );
  });

  it('cannot be accepted once the last admin who mailed it has lost the right to invite', async () => {
    const admin = await acme.admin();
    const [one, two] = [await account(), await account()];
    const first = (await invite({ email: one.email }, admin).expect(201)).body as Invitation;
    const second = (await invite({ email: two.email }, admin).expect(201)).body as Invitation;
    await api
      .as(acme.owner)
      .patch(path(`members/${admin.id}`), { role: 'operator' })
      .expect(200);
    await invite({ email: randomEmail() }, admin).expect(403, ADMIN_REQUIRED);
    await act(one, first.id, 'accept').expect(409, { detail: 'Inviter may no longer invite' });
    expect((await history()).at(-1)).toBe('accept refused inviter_without_right');
    await removeMember(admin).expect(200);
    await act(two, second.id, 'accept').expect(409, { detail: 'Inviter may no longer invite' });
    await letAMinutePass(second.id);
    await act(acme.owner, second.id, 'resend').expect(200);
    await act(two, second.id, 'accept').expect(200);
    expect(await roleOf(one)).toBeUndefined();
  });

  it('never changes the role of a member', async () => {
    const admin = await acme.admin();
    const email = randomEmail();
    const { id } = await invited(email, 'viewer');
    await changeAddress(admin.id, email);
    await act(admin, id, 'accept').expect(409, ALREADY_MEMBER);
    expect(await roleOf(admin)).toBe('admin');
  });

  it('is shown to admins of its organization only', async () => {
    const [globex, viewer] = [await tenant(), await acme.viewer()];
    const stranger = globex.owner;
    const { id } = await invited(randomEmail());
    await letAMinutePass(id);
    for (const action of ['resend', 'revoke']) {
      await act(stranger, id, action).expect(404, NOT_FOUND);
      await act(stranger, NOBODY, action).expect(404, NOT_FOUND);
      await act(acme.owner, NOBODY, action).expect(404, NOT_FOUND);
      await act(viewer, id, action).expect(403, ADMIN_REQUIRED);
      await act(acme.owner, 'nope', action).expect(422);
    }
    for (const records of ['invites', 'invitation-audits']) {
      await api.as(stranger).get(path(records)).expect(403, NOT_A_MEMBER);
      await api.as(viewer).get(path(records)).expect(403, ADMIN_REQUIRED);
    }
    await invite({ email: 'nobody' }, stranger).expect(403, NOT_A_MEMBER);
  });

  it('has a mail in which the name of its organization cannot add lines or links', async () => {
    await renameOrganization(
      acme.organizationId,
      'Acme"\r\n\r\nYour account is locked:\u2028https://evil.example\u202e',
    );
    const email = randomEmail();
    await invited(email);
    const [mail] = await mailsTo(email);
    expect(mail?.text?.split('\n')[0]).toContain('"Acme Your account is locked https evil example" at');
    expect(mail?.text).not.toMatch(/[\u2028\u202e]/);
  });

  it('has audit records that are listed newest first, 50 by default and 1 to 500 on request', async () => {
    await setPlan(acme.organizationId, 'enterprise');
    for (let n = 0; n < 3; n += 1) await invite({ email: acme.owner.email }).expect(409);
    await invitationAuditsOfYesterday(acme.organizationId, 60);
    expect(await audits()).toHaveLength(50);
    expect(await audits({ limit: 500 })).toHaveLength(63);
    expect((await audits({ limit: 3 })).map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'refused']);
    for (const limit of ['0', '501', 'x', '']) {
      await api.as(acme.owner).get(path('invitation-audits'), { limit }).expect(422);
    }
  });
});
