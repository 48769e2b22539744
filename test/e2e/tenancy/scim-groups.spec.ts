import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  bodyOf,
  GROUP_SCHEMA,
  type ProvisionedTenant,
  provisionedTenant,
  rolesIn,
  scimError,
  type ScimResource,
} from '../../support/scim-api.js';
import { account, api } from '../../support/service.js';
import { memberOf } from '../../support/sql-builders/accounts.js';
import { organizationAudit } from '../../support/sql-builders/tenancy.js';
import { providedRoles, provisionedMembers, rolesOfMembers } from '../../support/sql-builders/provisioning.js';

const MANY = 10_000;
const UNKNOWN = '0199f3a1-0000-7000-8000-00000000000f';

let acme: ProvisionedTenant;
let ada: ScimResource;
let bob: ScimResource;
let names = 0;

beforeAll(async () => {
  acme = await provisionedTenant();
});

async function newUsers(): Promise<void> {
  ada = await acme.scim.made({ userName: acme.address(), displayName: 'Ada' });
  bob = await acme.scim.made({ userName: acme.address(), displayName: 'Bob' });
}

const groupName = () => `Group ${(names += 1)}`;
const membersOf = ({ members = [] }: ScimResource) => members.map(({ value }) => value).sort();
const idsOf = (...users: ScimResource[]) => users.map(({ id }) => id).sort();
const valuesOf = (...users: ScimResource[]) => users.map(({ id }) => ({ value: id }));

describe('A group of SCIM', () => {
  beforeEach(newUsers);

  it('is made with its members, and shown with their names', async () => {
    const displayName = groupName();
    const body = { schemas: [GROUP_SCHEMA], displayName, externalId: 'g-1', members: valuesOf(ada, bob) };
    const answer = await acme.scim.post('/Groups', body).expect(201);
    const { id } = bodyOf(answer);
    expect(answer.body).toMatchObject({ id, displayName, externalId: 'g-1', meta: { resourceType: 'Group' } });
    expect(bodyOf(answer).members).toEqual(
      expect.arrayContaining([
        { value: ada.id, display: 'Ada', type: 'User', $ref: expect.stringContaining(`/scim/v2/Users/${ada.id}`) },
      ]),
    );
    expect(await acme.scim.group(id)).toEqual(answer.body);
    expect((await acme.scim.user(ada.id)).groups).toEqual([
      { value: id, display: displayName, type: 'direct', $ref: expect.stringContaining(`/Groups/${id}`) },
    ]);
  });

  it('is refused when another group has the name in any case, also when requests race', async () => {
    const displayName = groupName();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        acme.scim.post('/Groups', { displayName: at % 2 === 0 ? displayName : displayName.toUpperCase() }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(5).fill(409)]);
    const other = await acme.scim.madeGroup({ displayName: groupName() });
    const rename = { op: 'replace', path: 'displayName', value: displayName };
    const { body } = await acme.scim.operate(`/Groups/${other.id}`, rename).expect(409);
    expect(body).toEqual(scimError(409, 'uniqueness'));
  });

  it('is refused with a member that is no user of the organization, and then not made', async () => {
    const stranger = await account();
    for (const value of [UNKNOWN, 'x', stranger.id, acme.tenant.owner.id]) {
      const displayName = groupName();
      const { body } = await acme.scim.post('/Groups', { displayName, members: [{ value }] }).expect(400);
      expect(body).toEqual(scimError(400, 'invalidValue', `No user has the id ${value}`));
      const { body: list } = await acme.scim.get('/Groups', { filter: `displayName eq "${displayName}"` }).expect(200);
      expect(list).toMatchObject({ totalResults: 0, Resources: [] });
    }
  });

  it('is replaced, changed and deleted, and its users stay', async () => {
    const { id, meta } = await acme.scim.madeGroup({ displayName: groupName(), members: valuesOf(ada) });
    const path = `/Groups/${id}`;
    const replaced = await acme.scim.put(path, { displayName: groupName(), members: valuesOf(bob) }).expect(200);
    expect(membersOf(bodyOf(replaced))).toEqual(idsOf(bob));
    await acme.scim.put(path, { displayName: groupName() }).set('If-Match', meta.version).expect(412);
    await acme.scim.get(path).set('If-None-Match', bodyOf(replaced).meta.version).expect(304);
    expect(membersOf(bodyOf(await acme.scim.put(path, { displayName: groupName() }).expect(200)))).toEqual([]);
    await acme.scim.delete(path).expect(204);
    expect((await acme.scim.get(path).expect(404)).body).toEqual(scimError(404));
    await acme.scim.delete(path).expect(404);
    await acme.scim.user(bob.id);
  });

  it('is in the audit log when it is created, changed and deleted', async () => {
    const { id } = await acme.scim.madeGroup({ displayName: groupName() });
    await acme.scim.operate(`/Groups/${id}`, { op: 'add', path: 'members', value: valuesOf(ada) }).expect(204);
    await acme.scim.delete(`/Groups/${id}`).expect(204);
    const entries = (await organizationAudit(acme.tenant.organizationId)).filter(({ target_id }) => target_id === id);
    expect(entries.map(({ action }) => action)).toEqual([
      'scim_group.created',
      'scim_group.updated',
      'scim_group.deleted',
    ]);
  });

  it('loses a user whom the provider deletes', async () => {
    const { id } = await acme.scim.madeGroup({ displayName: groupName(), members: valuesOf(ada, bob) });
    await acme.scim.delete(`/Users/${ada.id}`).expect(204);
    expect(membersOf(await acme.scim.group(id))).toEqual(idsOf(bob));
  });

  it('leaves its members out on request, and 200 answers a change that names attributes', async () => {
    const { id } = await acme.scim.madeGroup({ displayName: groupName(), members: valuesOf(ada) });
    const { body } = await acme.scim.get(`/Groups/${id}`, { excludedAttributes: 'members' }).expect(200);
    expect(body).not.toHaveProperty('members');
    const list = await acme.scim.get('/Groups', { excludedAttributes: 'members', filter: `id eq "${id}"` }).expect(200);
    expect((list.body as { Resources: object[] }).Resources).toEqual([body]);
    const changed = await acme.scim
      .operate(`/Groups/${id}`, { op: 'replace', path: 'externalId', value: 'e' })
      .query({ attributes: 'externalId' })
      .expect(200);
    expect(changed.body).toEqual({ schemas: [GROUP_SCHEMA], id, externalId: 'e' });
  });
});

describe('A group that is found or refused', () => {
  const displayName = groupName();
  let id: string;

  beforeAll(async () => {
    await newUsers();
    ({ id } = await acme.scim.madeGroup({
      displayName,
      externalId: `ext ${displayName}`,
      members: valuesOf(ada),
    }));
  });

  it.each([
    ['no name', {}],
    ['an empty name', { displayName: '' }],
    ['a name that is too long', { displayName: 'x'.repeat(201) }],
    ['members without a value', { displayName: 'A', members: [{ display: 'x' }] }],
    ['members that are numbers', { displayName: 'A', members: [5] }],
  ])('is refused with %s', async (_, body) => {
    expect((await acme.scim.post('/Groups', body).expect(400)).body).toEqual(scimError(400, 'invalidValue'));
  });

  it.each([
    ['displayName eq "%name"', 1],
    ['displayName eq "%NAME"', 1],
    ['externalId eq "ext %name"', 1],
    ['externalId eq "EXT %name"', 0],
    ['members eq "%ada"', 1],
    ['members.value eq "%ada" and displayName sw "group"', 1],
    ['members[value eq "%ada" and type eq "User"]', 1],
    ['members[value eq "%bob"]', 0],
    ['id eq "%id" and members pr', 1],
    ['meta.resourceType eq "Group" and id eq "%id"', 1],
  ])('is found by the filter %s', async (filter, count) => {
    const text = filter
      .replace('%name', displayName)
      .replace('%NAME', displayName.toUpperCase())
      .replace('%ada', ada.id)
      .replace('%bob', bob.id)
      .replace('%id', id);
    const { body } = await acme.scim.get('/Groups', { filter: text }).expect(200);
    expect(body).toMatchObject({ totalResults: count });
  });
});

describe('An invalid change of a group', () => {
  let path: string;

  beforeAll(async () => {
    await newUsers();
    path = `/Groups/${(await acme.scim.madeGroup({ displayName: groupName(), members: valuesOf(ada) })).id}`;
  });

  it.each<[string, object, number, string]>([
    ['an unknown attribute', { op: 'add', path: 'owners', value: [] }, 400, 'invalidPath'],
    ['a path that is none', { op: 'add', path: 'members[', value: [] }, 400, 'invalidPath'],
    ['a sub-attribute that is fixed', { op: 'replace', path: 'members.display', value: 'x' }, 400, 'invalidPath'],
    ['another filter', { op: 'remove', path: 'members[display co "a"]' }, 400, 'invalidFilter'],
    ['a change of one member', { op: 'replace', path: 'members[value eq "x"]', value: {} }, 400, 'mutability'],
    ['no path', { op: 'remove' }, 400, 'noTarget'],
    ['no value', { op: 'add', path: 'members' }, 400, 'invalidValue'],
    ['a text without a path', { op: 'add', value: 'x' }, 400, 'invalidValue'],
    ['an unknown operator', { op: 'move', path: 'members' }, 400, 'invalidSyntax'],
    ['the id', { op: 'replace', path: 'id', value: 'x' }, 400, 'mutability'],
    ['the removal of the name', { op: 'remove', path: 'displayName' }, 400, 'mutability'],
    ['an unknown user', { op: 'add', path: 'members', value: [{ value: UNKNOWN }] }, 400, 'invalidValue'],
  ])('is refused with %s, and changes nothing', async (_, operation, status, type) => {
    const rename = { op: 'replace', path: 'displayName', value: groupName() };
    const before = (await acme.scim.get(path)).body as object;
    const answer = await acme.scim.operate(path, rename, operation).expect(status);
    expect(answer.body).toEqual(scimError(status, type));
    expect((await acme.scim.get(path)).body).toEqual(before);
  });
});

describe('A change of the members of a group', () => {
  beforeEach(newUsers);

  let path: string;
  const members = async () => membersOf(bodyOf(await acme.scim.get(path).expect(200)));

  beforeEach(async () => {
    path = `/Groups/${(await acme.scim.madeGroup({ displayName: groupName(), members: valuesOf(ada) })).id}`;
  });

  const both = () => idsOf(ada, bob);
  it.each<[string, () => object[], () => string[]]>([
    ['adds a list', () => [{ op: 'add', path: 'members', value: valuesOf(bob) }], both],
    ['adds an object', () => [{ op: 'Add', path: 'Members', value: { value: bob.id } }], both],
    ['adds without a path', () => [{ op: 'add', value: { members: valuesOf(bob) } }], both],
    ['adds somebody again', () => [{ op: 'add', path: 'members', value: valuesOf(ada) }], () => idsOf(ada)],
    ['replaces all', () => [{ op: 'replace', path: 'members', value: valuesOf(bob) }], () => idsOf(bob)],
    ['replaces by none', () => [{ op: 'replace', path: 'members', value: [] }], () => []],
    ['removes by a filter', () => [{ op: 'remove', path: `members[value eq "${ada.id}"]` }], () => []],
    ['removes by values', () => [{ op: 'Remove', path: 'members', value: valuesOf(ada) }], () => []],
    ['removes nobody', () => [{ op: 'remove', path: `members[value eq "${bob.id}"]` }], () => idsOf(ada)],
    ['removes all', () => [{ op: 'remove', path: 'members' }], () => []],
    [
      'adds and removes in turn',
      () => [
        { op: 'add', path: 'members', value: valuesOf(bob) },
        { op: 'remove', path: `members[value eq "${ada.id}" or value eq "${UNKNOWN}"]` },
      ],
      () => idsOf(bob),
    ],
  ])('passes when it %s', async (_, operations, wanted) => {
    await acme.scim.operate(path, ...operations()).expect(204);
    expect(await members()).toEqual(wanted());
  });

  it('loses no member when changes run at once', async () => {
    const more = await Promise.all(Array.from({ length: 6 }, () => acme.scim.made({ userName: acme.address() })));
    const answers = await Promise.all(
      more.map((user) => acme.scim.operate(path, { op: 'add', path: 'members', value: valuesOf(user) })),
    );
    expect(answers.map(({ status }) => status)).toEqual(more.map(() => 204));
    expect(await members()).toEqual(idsOf(ada, ...more));
  });
});

/** Sets the roles of groups as the owner. */
const mapped = ({ owner, organizationId }: ProvisionedTenant['tenant'], role: string, groups: Record<string, string>) =>
  api
    .as(owner)
    .put(`/sso/organizations/${organizationId}/roles`, {
      default_role: role,
      group_roles: Object.entries(groups).map(([group, role]) => ({ group, role })),
    })
    .expect(200);

describe('The role of a provisioned member', () => {
  let own: ProvisionedTenant;
  const roles = () => rolesIn(own.tenant);
  const roleByHand = (id: string, role: string) =>
    api
      .as(own.tenant.owner)
      .patch(`/v1/organizations/${own.tenant.organizationId}/members/${id}`, { role })
      .expect(200);

  beforeEach(async () => {
    own = await provisionedTenant();
    await providedRoles(own.tenant.organizationId, 'viewer', [
      { group: 'Admins', role: 'admin' },
      { group: 'Operators', role: 'operator' },
    ]);
    ada = await own.scim.made({ userName: own.address() });
    bob = await own.scim.made({ userName: own.address() });
  });

  it('is the highest of its groups, and follows them', async () => {
    const operators = await own.scim.madeGroup({ displayName: 'Operators', members: valuesOf(ada, bob) });
    expect(await roles()).toMatchObject({ [ada.id]: 'operator', [bob.id]: 'operator' });
    const admins = await own.scim.madeGroup({ displayName: 'Admins', members: valuesOf(ada) });
    expect(await roles()).toMatchObject({ [ada.id]: 'admin', [bob.id]: 'operator' });
    await own.scim
      .operate(`/Groups/${operators.id}`, { op: 'replace', path: 'displayName', value: 'Others' })
      .expect(204);
    expect(await roles()).toMatchObject({ [ada.id]: 'admin', [bob.id]: 'viewer' });
    await own.scim.delete(`/Groups/${admins.id}`).expect(204);
    expect(await roles()).toMatchObject({ [ada.id]: 'viewer', [bob.id]: 'viewer' });
  });

  it('is that of its groups when the person becomes active again', async () => {
    await own.scim.madeGroup({ displayName: 'Operators', members: valuesOf(ada) });
    const operate = (value: boolean) =>
      own.scim.operate(`/Users/${ada.id}`, { op: 'replace', path: 'active', value }).expect(200);
    await operate(false);
    await operate(true);
    expect(await roles()).toMatchObject({ [ada.id]: 'operator' });
  });

  it('stays after somebody changed it by hand', async () => {
    await roleByHand(ada.id, 'member');
    await own.scim.madeGroup({ displayName: 'Admins', members: valuesOf(ada, bob) });
    expect(await roles()).toMatchObject({ [ada.id]: 'member', [bob.id]: 'admin' });
  });

  it('stays when people made the membership, and the owner stays the owner', async () => {
    const { owner } = own.tenant;
    const person = await account(own.address());
    await memberOf(own.tenant, person.id, 'member');
    const known = await own.scim.made({ userName: person.email });
    await own.scim.madeGroup({ displayName: 'Admins', members: [{ value: known.id }] });
    expect((await roles())[person.id]).toBe('member');
    expect((await roles())[owner.id]).toBe('owner');
  });

  it('follows a change of the mapping at once, which the audit log shows', async () => {
    await own.scim.madeGroup({ displayName: 'Operators', members: valuesOf(ada) });
    await own.scim.madeGroup({ displayName: 'Engineers', members: valuesOf(ada, bob) });
    await mapped(own.tenant, 'viewer', { Engineers: 'member', Operators: 'operator' });
    expect(await roles()).toMatchObject({ [ada.id]: 'operator', [bob.id]: 'member' });
    await mapped(own.tenant, 'member', { Engineers: 'admin' });
    expect(await roles()).toMatchObject({ [ada.id]: 'admin', [bob.id]: 'admin' });
    await mapped(own.tenant, 'viewer', {});
    expect(await roles()).toMatchObject({ [ada.id]: 'viewer', [bob.id]: 'viewer' });
    const changes = (await organizationAudit(own.tenant.organizationId)).filter(
      ({ action, target_id }) => action === 'member.role_changed' && target_id === bob.id,
    );
    expect(changes.map(({ actor_user_id, detail }) => ({ actor_user_id, detail }))).toEqual([
      { actor_user_id: null, detail: { from: 'viewer', to: 'member' } },
      { actor_user_id: null, detail: { from: 'member', to: 'admin' } },
      { actor_user_id: null, detail: { from: 'admin', to: 'viewer' } },
    ]);
  });

  it('follows no change of the mapping when somebody changed it by hand or made the membership, or when the person has left', async () => {
    const { owner } = own.tenant;
    const person = await account(own.address());
    await memberOf(own.tenant, person.id, 'viewer');
    await own.scim.made({ userName: person.email });
    const left = await own.scim.made({ userName: own.address() });
    await own.scim.delete(`/Users/${left.id}`).expect(204);
    await roleByHand(ada.id, 'member');
    await mapped(own.tenant, 'admin', { owner: 'admin' });
    expect(await roles()).toEqual({
      [owner.id]: 'owner',
      [ada.id]: 'member',
      [bob.id]: 'admin',
      [person.id]: 'viewer',
    });
  });

  it('stays when people invite somebody whose membership by SCIM has ended, until SCIM restores one', async () => {
    const { organizationId, owner } = own.tenant;
    const person = await account(own.address());
    const { id } = await own.scim.made({ userName: person.email });
    await api.as(owner).delete(`/v1/organizations/${organizationId}/members/${id}`).expect(200);
    await memberOf(own.tenant, id, 'viewer');
    const admins = await own.scim.madeGroup({ displayName: 'Admins', members: [{ value: id }] });
    expect(await roles()).toMatchObject({ [id]: 'viewer' });
    const operate = (value: boolean) =>
      own.scim.operate(`/Users/${id}`, { op: 'replace', path: 'active', value }).expect(200);
    await operate(false);
    await operate(true);
    expect(await roles()).toMatchObject({ [id]: 'admin' });
    await own.scim.madeGroup({ displayName: 'Operators', members: [{ value: id }] });
    await own.scim.delete(`/Groups/${admins.id}`).expect(204);
    expect(await roles()).toMatchObject({ [id]: 'operator' });
  });

  it('is never that of the owner, whatever a group is mapped to', async () => {
    await own.scim.madeGroup({ displayName: 'owner', members: valuesOf(ada) });
    expect(await roles()).toMatchObject({ [ada.id]: 'viewer' });
  });
});

describe('A group of 10,000 users', () => {
  it('is made, changed and emptied, and its members follow', async () => {
    const large = await provisionedTenant();
    const { organizationId } = large.tenant;
    const ids = await provisionedMembers(organizationId, large.domain, MANY);
    await providedRoles(organizationId, 'viewer', [{ group: 'Everybody', role: 'member' }]);
    const members = ids.map((value) => ({ value, display: 'Somebody of the organization', type: 'User' }));
    const group = await large.scim.madeGroup({ displayName: 'Everybody', members });
    expect(group.members).toHaveLength(MANY);
    expect(await rolesOfMembers(organizationId)).toEqual({ owner: 1, member: MANY });
    await mapped(large.tenant, 'viewer', { Everybody: 'operator' });
    expect(await rolesOfMembers(organizationId)).toEqual({ owner: 1, operator: MANY });

    const path = `/Groups/${group.id}`;
    const extra = await large.scim.made({ userName: large.address() });
    const add = { op: 'add', path: 'members', value: [{ value: extra.id }] };
    expect((await large.scim.operate(path, add).expect(400)).body).toEqual(
      scimError(400, 'invalidValue', 'A group has at most 10000 members'),
    );
    const removals = ids.slice(1).map((id) => ({ op: 'remove', path: `members[value eq "${id}"]` }));
    await large.scim.operate(path, ...removals).expect(204);
    expect(membersOf(await large.scim.group(path.slice('/Groups/'.length)))).toEqual(ids.slice(0, 1));
    expect(await rolesOfMembers(organizationId)).toEqual({ owner: 1, operator: 1, viewer: MANY });
  });

  it('is refused with one user more, and with a body above 5 MiB', async () => {
    const members = Array.from({ length: MANY + 1 }, (_, at) => ({ value: `u${at}` }));
    const { body } = await acme.scim.post('/Groups', { displayName: groupName(), members }).expect(400);
    expect(body).toEqual(scimError(400, 'invalidValue'));
    const junk = 'x'.repeat(5 * 1024 * 1024);
    expect((await acme.scim.post('/Groups', { displayName: groupName(), junk }).expect(413)).body).toEqual(
      scimError(413),
    );
  });
});
