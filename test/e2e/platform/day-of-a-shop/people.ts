import { expect } from '@jest/globals';
import { mailsTo, tokenIn } from '../../../support/service-mail.js';
import { Person } from '../../../support/shop/person.js';
import type { Shop } from '../../../support/shop/shop.js';
import { letAMinutePass } from '../../../support/sql-builders/invitations.js';
import { it } from './it.js';

/** The token of the last of so many invitations, which come after the mail that confirms the address. */
async function invited(person: Person, count: number): Promise<string> {
  const mails = await mailsTo(person.email, 1 + count);
  const last = mails.at(-1);
  if (last === undefined) throw new Error('no mail');
  return tokenIn(last);
}

/** The people of the shop, and its projects. */
export function people(shop: () => Shop): void {
  it('gives people the role that their invitation names, and removes them again', async () => {
    const { ada, grace, organizationId, projectId } = shop();
    const invites = `/v1/organizations/${organizationId}/invites`;
    const invite = await ada.post(invites, { email: grace.email, role: 'operator' });
    await letAMinutePass(invite.id);
    await ada.post(`/v1/organizations/invites/${invite.id}/resend`);
    const accepted = await grace.post(`/v1/organizations/invites/${invite.id}/accept`, {
      token: await invited(grace, 2),
    });
    expect(accepted).toEqual({ organization_id: organizationId, role: 'operator', status: 'accepted' });

    const barbara = await Person.join('Barbara Liskov', 'barbara@acme.example');
    const declined = await ada.post(invites, { email: barbara.email, role: 'viewer' });
    expect((await barbara.post(`/v1/organizations/invites/${declined.id}/decline`)).status).toBe('declined');
    const mistaken = await ada.post(invites, { email: 'alan@acme.example', role: 'viewer' });
    expect((await ada.post(`/v1/organizations/invites/${mistaken.id}/revoke`)).status).toBe('revoked');
    expect((await ada.get(invites)).map(({ status }: { status: string }) => status).sort()).toEqual([
      'accepted',
      'declined',
      'revoked',
    ]);
    const audits = await ada.get(`/v1/organizations/${organizationId}/invitation-audits`);
    expect(audits.map(({ action }: { action: string }) => action)).toContain('accept');

    const again = await ada.post(invites, { email: barbara.email, role: 'viewer' });
    await barbara.post(`/v1/organizations/invites/${again.id}/accept`, { token: await invited(barbara, 2) });
    const members = `/v1/organizations/${organizationId}/members`;
    expect((await ada.patch(`${members}/${barbara.id}`, { role: 'member' })).role).toBe('member');
    expect(await ada.get(members)).toHaveLength(3);

    const inProject = `/v1/projects/${projectId}/members`;
    expect((await grace.get(`${inProject}/me`)).role).toBe('operator');
    await ada.patch(`${inProject}/${barbara.id}`, { role: 'viewer' });
    await ada.delete(`${inProject}/${barbara.id}`);
    await ada.post(inProject, { user_id: barbara.id, role: 'member' });
    expect((await ada.get(inProject)).length).toBe(3);
    await ada.delete(`${members}/${barbara.id}`);
    expect(await ada.get(members)).toHaveLength(2);
    expect((await grace.get(`/v1/projects/${projectId}/capabilities`)).can_replay_delivery).toBe(true);
  });

  it('changes the settings of its project, and deletes a project that it tried out', async () => {
    const { ada, organizationId, projectId } = shop();
    await ada.patch('/v1/account', { name: 'Ada King' });
    expect(await ada.get('/v1/organizations')).toHaveLength(1);
    expect((await ada.get(`/v1/organizations/${organizationId}`)).slug).toBe('acme');
    const tried = await ada.post('/v1/projects', {
      organization_id: organizationId,
      name: 'Playground',
      slug: 'playground',
    });
    await ada.patch(`/v1/projects/${tried.id}`, { name: 'Staging', slug: 'staging' });
    expect((await ada.post(`/v1/projects/${tried.id}/archive`)).archived_at).toEqual(expect.any(String));
    expect((await ada.post(`/v1/projects/${tried.id}/restore`)).archived_at).toBeNull();
    await ada.post(`/v1/projects/${tried.id}/archive`);
    await ada.delete(`/v1/projects/${tried.id}`);
    expect(await ada.get('/v1/projects')).toHaveLength(1);
    expect((await ada.post('/v1/projects/select', { project_id: projectId })).name).toBe('Web shop');
    const settings = {
      timezone: 'Europe/Berlin',
      default_range: '7d',
      redacted_properties: ['card.number', 'customer.email'],
      noise_endpoints: ['/health', '/metrics'],
      annotation_events: ['deploy.*', 'price.changed'],
    };
    expect(await ada.put(`/v1/projects/${projectId}/settings`, settings)).toMatchObject(settings);
    expect(await ada.get(`/v1/projects/${projectId}/settings`)).toMatchObject(settings);
    expect((await ada.get(`/v1/projects/${projectId}`)).slug).toBe('web-shop');
  });
}
