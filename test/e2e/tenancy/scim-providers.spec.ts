import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  bodyOf,
  PATCH_SCHEMA,
  type ProvisionedTenant,
  provisionedTenant,
  scimError,
  type ScimResource,
  USER_SCHEMA,
} from '../../support/scim-api.js';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

let acme: ProvisionedTenant;

beforeAll(async () => {
  acme = await provisionedTenant();
});

const patched = async (id: string, ...operations: object[]) =>
  bodyOf(await acme.scim.operate(`/Users/${id}`, ...operations).expect(200));
const membersOf = async (id: string) => ((await acme.scim.group(id)).members ?? []).map(({ value }) => value);
const count = async (path: string, filter: string) =>
  ((await acme.scim.get(path, { filter }).expect(200)).body as { totalResults: number }).totalResults;

/** The bodies are those that each provider documents or sends, with other names and addresses. */
describe('Okta', () => {
  it('finds, makes, changes, deactivates and activates a user', async () => {
    const userName = acme.address();
    const query = { filter: `userName eq "${userName}"`, startIndex: 1, count: 100 };
    expect((await acme.scim.get('/Users', query).expect(200)).body).toMatchObject({ totalResults: 0, Resources: [] });
    const body = {
      schemas: [USER_SCHEMA],
      userName,
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: userName, type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    };
    const made = await acme.scim.made(body);
    expect(made).toMatchObject({ userName, name: body.name, emails: body.emails, externalId: body.externalId });
    const renamed = { ...made, name: { givenName: 'Another', familyName: 'User' } };
    const put = await acme.scim.put(`/Users/${made.id}`, renamed).expect(200);
    expect(bodyOf(put)).toMatchObject({ id: made.id, name: renamed.name });
    expect(await patched(made.id, { op: 'replace', value: { active: false } })).toMatchObject({ active: false });
    expect(await patched(made.id, { op: 'replace', value: { active: true } })).toMatchObject({ active: true });
  });

  it('pushes a group with its members, and renames it by an object with its id', async () => {
    const users = [
      await acme.scim.made({ userName: acme.address() }),
      await acme.scim.made({ userName: acme.address() }),
    ];
    const members = users.map(({ id, userName }) => ({ value: id, display: userName }));
    const { id } = await acme.scim.madeGroup({ displayName: 'Okta group', members: [] });
    const path = `/Groups/${id}`;
    await acme.scim.operate(path, { op: 'replace', value: { id, displayName: 'Okta group 2' } }).expect(204);
    await acme.scim.operate(path, { op: 'add', path: 'members', value: members }).expect(204);
    await acme.scim.operate(path, { op: 'remove', path: `members[value eq "${users[0]?.id ?? ''}"]` }).expect(204);
    expect(await membersOf(id)).toEqual([users[1]?.id]);
    await acme.scim.operate(path, { op: 'replace', path: 'members', value: members }).expect(204);
    expect(await membersOf(id)).toHaveLength(2);
    expect(await count('/Groups', 'displayName eq "Okta group 2"')).toBe(1);
  });
});

describe('Entra ID', () => {
  const made = (part: object = {}) => {
    const userName = acme.address();
    return acme.scim.made({
      schemas: [USER_SCHEMA, ENTERPRISE],
      externalId: `58342554-${userName}`,
      userName,
      active: true,
      addresses: null,
      displayName: 'Joni Lee',
      emails: [{ type: 'work', value: 'old@mail.example', primary: true }],
      meta: { resourceType: 'User' },
      name: { familyName: 'Lee', formatted: 'Joni Lee', givenName: 'Joni' },
      phoneNumbers: null,
      preferredLanguage: null,
      title: null,
      department: null,
      manager: null,
      ...part,
    });
  };

  it('changes attributes by capitalized operators, and ignores its extension', async () => {
    const { id } = await made();
    const changed = await patched(
      id,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updated@mail.example' },
      { op: 'Replace', path: 'name.familyName', value: 'Smith' },
      { op: 'Add', path: 'nickName', value: 'Babs' },
      { op: 'Replace', path: `${ENTERPRISE}:department`, value: 'Sales' },
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: [{ $ref: 'x', value: 'y' }] },
      { op: 'Remove', path: 'phoneNumbers[type eq "mobile"].value' },
      { op: 'Replace', path: 'displayName', value: 'Joni Smith' },
    );
    expect(changed).toMatchObject({
      displayName: 'Joni Smith',
      emails: [{ type: 'work', value: 'updated@mail.example', primary: true }],
      name: { familyName: 'Smith', formatted: 'Joni Lee', givenName: 'Joni' },
    });
    expect(changed).not.toHaveProperty('nickName');
  });

  it.each([['False'], ['false'], [false]])('deactivates a user by the value %j', async (value) => {
    const { id } = await made();
    expect(await patched(id, { op: 'Replace', path: 'active', value })).toMatchObject({ active: false });
    expect(await patched(id, { op: 'Add', path: 'active', value: 'True' })).toMatchObject({ active: true });
  });

  it('makes an address that its path describes, and sends members with dots and brackets', async () => {
    const { id } = await made({ emails: null, name: null });
    const added = await patched(id, { op: 'Add', path: 'emails[type eq "work"].value', value: 'new@mail.example' });
    expect(added.emails).toEqual([{ type: 'work', value: 'new@mail.example' }]);
    const value = {
      'name.givenName': 'Ann',
      'emails[type eq "home"].value': 'home@mail.example',
      [`${ENTERPRISE}:employeeNumber`]: '1',
      displayName: 'Ann',
    };
    expect(await patched(id, { op: 'Add', value })).toMatchObject({
      displayName: 'Ann',
      name: { givenName: 'Ann' },
      emails: [{ type: 'work' }, { type: 'home', value: 'home@mail.example' }],
    });
  });

  it('adds and removes members of a group in both of its forms, and looks for a member', async () => {
    const [first, second] = [await made(), await made()];
    const group = await acme.scim.madeGroup({ externalId: '8aa1a0c0', displayName: 'Entra group', members: [] });
    const path = `/Groups/${group.id}`;
    const value = [first, second].map(({ id }) => ({ $ref: null, value: id }));
    await acme.scim.operate(path, { op: 'Add', path: 'members', value }).expect(204);
    expect(await membersOf(group.id)).toEqual([first.id, second.id].sort());
    expect(await count('/Groups', `id eq "${group.id}" and members eq "${first.id}"`)).toBe(1);
    await acme.scim.operate(path, { op: 'Remove', path: 'members', value: value.slice(0, 1) }).expect(204);
    await acme.scim.operate(path, { op: 'Remove', path: `members[value eq "${second.id}"]` }).expect(204);
    expect(await membersOf(group.id)).toEqual([]);
    await acme.scim.operate(path, { op: 'Replace', path: 'displayName', value: 'Entra group 2' }).expect(204);
    const found = await acme.scim
      .get('/Groups', { excludedAttributes: 'members', filter: 'displayName eq "Entra group 2"' })
      .expect(200);
    expect(found.body).toMatchObject({ totalResults: 1 });
  });

  it('tests its connection with a user that does not exist, and deletes softly', async () => {
    const filter = 'userName eq "f2d8d8a5-0c2c-4f5f-9dfc-1f0f0f0f0f0f"';
    expect((await acme.scim.get('/Users', { filter }).expect(200)).body).toMatchObject({
      totalResults: 0,
      Resources: [],
    });
    const { id } = await made();
    await patched(id, { op: 'Replace', path: 'active', value: 'False' });
    await acme.scim.user(id);
    await acme.scim.delete(`/Users/${id}`).expect(204);
    expect((await acme.scim.get(`/Users/${id}`).expect(404)).body).toEqual(scimError(404));
  });
});

describe('OneLogin', () => {
  it('makes a user, replaces it and suspends it', async () => {
    const userName = acme.address();
    const body = {
      schemas: ['urn:scim:schemas:core:1.0', USER_SCHEMA],
      userName,
      externalId: 41,
      name: { givenName: 'One', familyName: 'Login', formatted: 'One Login' },
      emails: [{ value: userName, primary: true, type: 'work' }],
    };
    await acme.scim.withType('application/json').post('/Users', body).expect(400);
    const { id } = await acme.scim.made({ ...body, externalId: '41' });
    const off = { schemas: [PATCH_SCHEMA], Operations: [{ op: 'replace', value: { active: 'false' } }] };
    const answer = await acme.scim.withType('application/json').patch(`/Users/${id}`, off).expect(200);
    expect(answer.body).toMatchObject({ active: false });
    await acme.scim.put(`/Users/${id}`, { ...body, externalId: '41', active: true }).expect(200);
    expect(await acme.scim.user(id)).toMatchObject({ active: true, name: body.name });
  });
});

describe('JumpCloud', () => {
  it('makes a user, replaces it, and keeps groups by adding and removing members', async () => {
    const userName = acme.address();
    const body = {
      userName,
      displayName: 'Jump Cloud',
      active: true,
      name: { givenName: 'Jump', familyName: 'Cloud' },
      emails: [{ primary: true, value: userName, type: 'work' }],
    };
    const { id } = await acme.scim.made(body);
    await acme.scim.put(`/Users/${id}`, { ...body, id, displayName: 'Jump C.' }).expect(200);
    const group = await acme.scim.madeGroup({ displayName: 'JumpCloud group', members: [{ value: id }] });
    await acme.scim
      .operate(`/Groups/${group.id}`, { op: 'remove', path: 'members', value: [{ value: id }] })
      .expect(204);
    await acme.scim.operate(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: id }] }).expect(204);
    expect(await membersOf(group.id)).toEqual([id]);
    await acme.scim.put(`/Users/${id}`, { ...body, active: false }).expect(200);
    expect(await acme.scim.user(id)).toMatchObject({ active: false, displayName: 'Jump Cloud' });
  });
});

describe('Google Workspace', () => {
  it('finds a user by its name, makes it, suspends it by PATCH and deletes it', async () => {
    const userName = acme.address();
    expect(await count('/Users', `userName eq "${userName}"`)).toBe(0);
    const { id } = await acme.scim.made({
      userName,
      active: true,
      emails: [{ value: userName, type: 'work', primary: true }],
      name: { givenName: 'Goo', familyName: 'Gle', formatted: 'Goo Gle' },
      [ENTERPRISE]: { employeeNumber: '' },
    });
    const change = { schemas: [PATCH_SCHEMA], Operations: [{ op: 'replace', path: 'active', value: false }] };
    expect((await acme.scim.patch(`/Users/${id}`, change).expect(200)).body).toMatchObject({ active: false });
    await acme.scim.delete(`/Users/${id}`).expect(204);
  });
});

describe('A change of a user', () => {
  let user: ScimResource;
  const emails = [
    { value: 'a@mail.example', type: 'work', primary: true },
    { value: 'b@mail.example', type: 'home' },
  ];

  const fresh = async () => {
    user = await acme.scim.made({
      userName: acme.address(),
      externalId: `x ${acme.address()}`,
      displayName: 'Before',
      name: { givenName: 'G', familyName: 'F' },
      emails,
    });
    return user.id;
  };

  it.each<[string, object[], object]>([
    ['adds an attribute', [{ op: 'add', path: 'displayName', value: 'A' }], { displayName: 'A' }],
    ['replaces an attribute', [{ op: 'replace', path: 'DISPLAYNAME', value: 'R' }], { displayName: 'R' }],
    [
      'names an attribute by its schema',
      [{ op: 'replace', path: `${USER_SCHEMA}:displayName`, value: 'U' }],
      { displayName: 'U' },
    ],
    [
      'adds a part of the name',
      [{ op: 'add', path: 'name', value: { givenName: 'N' } }],
      { name: { givenName: 'N', familyName: 'F' } },
    ],
    [
      'replaces two parts by an object',
      [{ op: 'replace', value: { name: { familyName: 'Z' }, displayName: 'O' } }],
      { displayName: 'O', name: { givenName: 'G', familyName: 'Z' } },
    ],
    ['removes a part of the name', [{ op: 'remove', path: 'name.givenName' }], { name: { familyName: 'F' } }],
    [
      'adds an address',
      [{ op: 'add', path: 'emails', value: [{ value: 'c@mail.example' }] }],
      { emails: [...emails, { value: 'c@mail.example' }] },
    ],
    ['adds an address again', [{ op: 'add', path: 'emails', value: emails[1] }], { emails }],
    [
      'makes another address the primary one',
      [{ op: 'add', path: 'emails', value: { value: 'c@mail.example', primary: true } }],
      { emails: [{ ...emails[0], primary: false }, emails[1], { value: 'c@mail.example', primary: true }] },
    ],
    [
      'replaces all addresses',
      [{ op: 'replace', path: 'emails', value: [{ value: 'c@mail.example' }] }],
      { emails: [{ value: 'c@mail.example' }] },
    ],
    [
      'replaces one address',
      [{ op: 'replace', path: 'emails[type eq "home"]', value: { value: 'c@mail.example' } }],
      { emails: [emails[0], { type: 'home', value: 'c@mail.example' }] },
    ],
    [
      'replaces the type of all addresses',
      [{ op: 'replace', path: 'emails.type', value: 'other' }],
      { emails: emails.map((email) => ({ ...email, type: 'other' })) },
    ],
    ['removes one address', [{ op: 'remove', path: 'emails[type eq "home"]' }], { emails: emails.slice(0, 1) }],
    [
      'removes an address by its value',
      [{ op: 'remove', path: 'emails', value: [{ value: 'A@mail.example' }] }],
      { emails: emails.slice(1) },
    ],
    ['removes nothing', [{ op: 'remove', path: 'emails[type eq "other"]' }], { emails }],
    [
      'changes nothing by an unknown member',
      [{ op: 'add', value: { unknown: 1, 'a b': 2, id: 'x' } }],
      { displayName: 'Before' },
    ],
  ])('passes when it %s', async (_, operations, wanted) => {
    const id = await fresh();
    expect(await patched(id, ...operations)).toMatchObject(wanted);
    expect(await acme.scim.user(id)).toMatchObject({ ...wanted, meta: { version: 'W/"2"' } });
  });

  it.each(['displayName', 'externalId', 'name', 'emails'])('forgets the attribute %s', async (attribute) => {
    const id = await fresh();
    expect(await patched(id, { op: 'remove', path: attribute })).not.toHaveProperty(attribute);
  });

  it.each<[object, string]>([
    [{ op: 'replace', path: 'unknown', value: 1 }, 'invalidPath'],
    [{ op: 'replace', path: 'name.unknown', value: 1 }, 'invalidPath'],
    [{ op: 'replace', path: 'emails.unknown', value: 1 }, 'invalidPath'],
    [{ op: 'replace', path: 'userName.x', value: 1 }, 'invalidPath'],
    [{ op: 'replace', path: 'displayName[type eq "x"]', value: 1 }, 'invalidPath'],
    [{ op: 'replace', path: 'name[givenName eq "G"].familyName', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[type eq "work"', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[type is "work"].value', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: '/displayName', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'displayName ', value: '' }, 'none'],
    [{ op: 'replace', path: '.', value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 5, value: 'x' }, 'invalidSyntax'],
    [{ op: 'replace', path: `a${'b'.repeat(3_000)}`, value: 'x' }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[type eq "other"].value', value: 'x' }, 'noTarget'],
    [{ op: 'add', path: 'emails[value co "zzz"].type', value: 'x' }, 'noTarget'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'remove', path: 'userName' }, 'mutability'],
    [{ op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    [{ op: 'replace', path: 'meta.version', value: 'x' }, 'mutability'],
    [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }, 'mutability'],
    [{ op: 'replace', path: 'active', value: 'maybe' }, 'invalidValue'],
    [{ op: 'replace', path: 'active', value: 1 }, 'invalidValue'],
    [{ op: 'replace', path: 'displayName', value: { a: 1 } }, 'invalidValue'],
    [{ op: 'replace', path: 'name', value: 'x' }, 'invalidValue'],
    [{ op: 'replace', path: 'emails', value: [5] }, 'invalidValue'],
    [{ op: 'replace', path: 'userName', value: null }, 'invalidValue'],
    [{ op: 'add', path: 'displayName' }, 'invalidValue'],
    [{ op: 'replace', value: 'x' }, 'invalidValue'],
    [{ op: 'replace' }, 'invalidValue'],
    [{ op: 'move', path: 'displayName', value: 'x' }, 'invalidSyntax'],
    [{ path: 'displayName', value: 'x' }, 'invalidSyntax'],
  ])('is refused as a whole with the operation %j', async (operation, type) => {
    const id = await fresh();
    const first = { op: 'replace', path: 'displayName', value: 'After' };
    const answer = await acme.scim.operate(`/Users/${id}`, first, operation);
    if (type === 'none') {
      expect(bodyOf(answer)).not.toHaveProperty('displayName');
      return;
    }
    expect(answer.body).toEqual(scimError(400, type));
    expect(await acme.scim.user(id)).toEqual(user);
  });

  it.each([
    [{}],
    [{ schemas: [PATCH_SCHEMA], Operations: [] }],
    [{ Operations: {} }],
    [{ Operations: ['x'] }],
    [{ Operations: [null] }],
    [[]],
  ])('is refused with the body %j', async (body) => {
    const answer = await acme.scim.patch(`/Users/${await fresh()}`, body).expect(400);
    expect(answer.body).toEqual(scimError(400, 'invalidSyntax'));
  });
});
