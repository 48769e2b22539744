import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  GROUP_SCHEMA,
  type ProvisionedTenant,
  provisionedTenant,
  scimError,
  type ScimResource,
  USER_SCHEMA,
} from '../../support/scim-api.js';
import { provisionedGroups, provisionedMembers } from '../../support/sql-builders/provisioning.js';

interface List {
  readonly totalResults: number;
  readonly startIndex: number;
  readonly itemsPerPage: number;
  readonly Resources: ScimResource[];
}

const SEARCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';

let acme: ProvisionedTenant;
let other: ProvisionedTenant;
let ada: ScimResource;
let bob: ScimResource;
let eve: ScimResource;

beforeAll(async () => {
  acme = await provisionedTenant();
  other = await provisionedTenant();
  ada = await acme.scim.made({
    userName: acme.address('ada'),
    externalId: 'Ext-Ada',
    displayName: 'Ada L.',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [
      { value: acme.address('ada'), type: 'work', primary: true },
      { value: 'ada@home.example', type: 'home' },
    ],
  });
  bob = await acme.scim.made({ userName: acme.address('bob'), displayName: '100% "Bob" \\ O\'Neil_' });
  eve = await acme.scim.made({ userName: acme.address('eve'), active: false });
  await acme.scim.madeGroup({ displayName: 'Staff', members: [{ value: ada.id }] });
});

const list = async (query: object = {}, of = acme) => (await of.scim.get('/Users', query).expect(200)).body as List;
const localsOf = (names: readonly string[]) => names.map((name) => name.replace(/@.*/, ''));

describe('A filter', () => {
  it.each([
    ['userName eq "ADA@%d"', 'ada'],
    ['USERNAME EQ "ada@%d"', 'ada'],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada@%d"', 'ada'],
    ['userName ne "ada@%d"', 'bob eve'],
    ['userName co "DA@"', 'ada'],
    ['userName sw "a"', 'ada'],
    ['userName ew "@%d"', 'ada bob eve'],
    ['displayName co "%"', 'bob'],
    ['displayName co "_"', 'bob'],
    ['displayName eq "100% \\"Bob\\" \\\\ O\'Neil_"', 'bob'],
    ['displayName sw "100% \\u0022"', 'bob'],
    ['displayName pr', 'ada bob'],
    ['not (displayName pr)', 'eve'],
    ['displayName eq null', 'eve'],
    ['externalId eq "Ext-Ada"', 'ada'],
    ['externalId eq "ext-ada"', ''],
    ['name.givenName eq "ada" and name.familyName sw "LOVE"', 'ada'],
    ['active eq true', 'ada bob'],
    ['active eq "False"', 'eve'],
    ['active ne true', 'eve'],
    ['emails eq "ADA@home.example"', 'ada'],
    ['emails.value co "home"', 'ada'],
    ['emails[type eq "home" and value co "home"]', 'ada'],
    ['emails[type eq "work" and value co "home"]', ''],
    ['emails.type eq "work" and emails.value co "home"', 'ada'],
    ['emails[primary eq true].value eq "x"', null],
    ['emails[primary eq true]', 'ada'],
    ['emails pr', 'ada'],
    ['groups.display eq "staff"', 'ada'],
    ['groups[display eq "staff"] or userName sw "bob"', 'ada bob'],
    ['userName sw "a" or userName sw "b" and active eq false', 'ada'],
    ['(userName sw "a" or userName sw "b") and active eq false', ''],
    ['not (userName sw "a") and not(active eq false)', 'bob'],
    ['meta.created gt "2020-01-01T00:00:00Z"', 'ada bob eve'],
    ['meta.lastModified lt "2020-01-01T00:00:00Z"', ''],
    ['meta.created ge "2020-01-01T00:00:00+02:00" and id pr', 'ada bob eve'],
    ['userName gt "bob@%d"', 'eve'],
    ['userName le "bob@%d"', 'ada bob'],
    ['meta.resourceType eq "User"', 'ada bob eve'],
    ['schemas eq "urn:ietf:params:scim:schemas:core:2.0:User"', 'ada bob eve'],
    ['displayName eq "\'; DROP TABLE scim_users; --"', ''],
  ])('finds users by %s', async (filter, wanted) => {
    const text = filter.replaceAll('%d', acme.domain);
    if (wanted === null) {
      await acme.scim.get('/Users', { filter: text }).expect(400);
      return;
    }
    expect(localsOf(await acme.scim.found(text))).toEqual(wanted === '' ? [] : wanted.split(' '));
  });

  it.each([
    ['userName'],
    ['userName eq'],
    ['userName eq ada'],
    ['userName is "ada"'],
    ['userName eq "ada'],
    ["userName eq 'ada'"],
    ['eq "ada"'],
    ['userName eq "a" and'],
    ['and userName eq "a"'],
    ['(userName eq "a"'],
    ['userName eq "a")'],
    ['emails[type eq "work"'],
    ['emails[emails[type eq "a"]]'],
    ['name[givenName eq "a"]'],
    ['constructor eq "a"'],
    ['constructor[value eq "a"]'],
    ['emails.constructor eq "a"'],
    ['__proto__ pr'],
    ['password eq "a"'],
    ['userName eq 5'],
    ['userName eq true'],
    ['userName gt null'],
    ['active gt true'],
    ['active eq "maybe"'],
    ['meta.created co "2020"'],
    ['meta.created eq "yesterday"'],
    ['userName eq "\\u0000"'],
    ['userName eq "\\ud800"'],
    [`userName eq "${'x'.repeat(2_000)}"`],
    [`${'('.repeat(20)}userName pr${')'.repeat(20)}`],
    [Array.from({ length: 60 }, () => 'id pr').join(' and ')],
    ['userName eq "a"; DROP TABLE users'],
  ])('is refused as %s', async (filter) => {
    const { body } = await acme.scim.get('/Users', { filter }).expect(400);
    expect(body).toEqual(scimError(400, 'invalidFilter'));
  });
});

describe('A list', () => {
  it('has pages in the order of creation', async () => {
    const all = await list();
    expect(all).toMatchObject({ totalResults: 3, startIndex: 1, itemsPerPage: 3 });
    expect(all.Resources.map(({ id }) => id)).toEqual([ada.id, bob.id, eve.id]);
    const page = await list({ startIndex: 2, count: 1 });
    expect(page).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
    expect(page.Resources.map(({ id }) => id)).toEqual([bob.id]);
  });

  it.each([
    [{ startIndex: 0 }, 1, 3],
    [{ startIndex: -5, count: 2 }, 1, 2],
    [{ count: 0 }, 1, 0],
    [{ count: -1 }, 1, 0],
    [{ count: 100_000 }, 1, 3],
    [{ startIndex: 4 }, 4, 0],
    [{ sortBy: 'userName', sortOrder: 'descending' }, 1, 3],
    [{ aadOptscim062020: '' }, 1, 3],
  ])('answers the query %j', async (query, startIndex, itemsPerPage) => {
    expect(await list(query)).toMatchObject({ totalResults: 3, startIndex, itemsPerPage });
  });

  it.each([[{ startIndex: 'x' }], [{ count: '1.5' }]])('refuses the query %j', async (query) => {
    const { body } = await acme.scim.get('/Users', query).expect(400);
    expect(body).toEqual(scimError(400, 'invalidValue'));
  });

  it('has the attributes that were requested', async () => {
    const { Resources } = await list({ attributes: 'userName,name.givenName', count: 1 });
    expect(Resources).toEqual([
      { schemas: [USER_SCHEMA], id: ada.id, userName: ada.userName, name: { givenName: 'Ada' } },
    ]);
    const without = (await list({ excludedAttributes: 'emails, NAME.familyName,groups,id,meta', count: 1 })).Resources;
    expect(without).toEqual([
      {
        schemas: [USER_SCHEMA],
        id: ada.id,
        externalId: 'Ext-Ada',
        userName: ada.userName,
        displayName: 'Ada L.',
        name: { givenName: 'Ada' },
        active: true,
      },
    ]);
  });

  it('is found by a search in the body', async () => {
    const body = { schemas: [SEARCH_SCHEMA], filter: 'userName sw "b"', attributes: ['id'], startIndex: 1, count: 10 };
    const found = await acme.scim.post('/Users/.search', body).expect(200);
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ schemas: [USER_SCHEMA], id: bob.id }] });
    const groups = await acme.scim.post('/Groups/.search', { filter: 'displayName eq "staff"' }).expect(200);
    expect(groups.body).toMatchObject({ totalResults: 1, Resources: [{ displayName: 'Staff' }] });
    for (const bad of [{ filter: 5 }, { count: 'x' }, { attributes: [5] }])
      await acme.scim.post('/Users/.search', bad).expect(400);
  });

  it('ends a page early when its users have more than 20,000 groups together', async () => {
    const large = await provisionedTenant();
    const { organizationId } = large.tenant;
    const ids = await provisionedMembers(organizationId, large.domain, 25);
    await provisionedGroups(organizationId, 1_000, ids);
    const first = await list({}, large);
    expect(first).toMatchObject({ totalResults: 25, startIndex: 1, itemsPerPage: 20 });
    for (const { groups } of first.Resources) expect(groups).toHaveLength(1_000);
    const second = await list({ startIndex: 21 }, large);
    expect(second).toMatchObject({ totalResults: 25, startIndex: 21, itemsPerPage: 5 });
    expect([...first.Resources, ...second.Resources].map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(await list({ excludedAttributes: 'groups' }, large)).toMatchObject({ itemsPerPage: 25 });
  });
});

describe('The provider of another organization', () => {
  it('cannot read, change or delete the users and groups of the organization', async () => {
    const { body } = await acme.scim.get('/Groups').expect(200);
    const [group] = (body as List).Resources;
    const paths = [`/Users/${ada.id}`, `/Groups/${group?.id ?? ''}`];
    for (const path of paths) {
      const operation = { op: 'replace', path: 'externalId', value: 'stolen' };
      const answers = [
        await other.scim.get(path),
        await other.scim.put(path, { userName: other.address(), displayName: 'x' }),
        await other.scim.operate(path, operation),
        await other.scim.delete(path),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    }
    expect(await list({}, other)).toMatchObject({ totalResults: 0, Resources: [] });
    expect(await list({ filter: `id eq "${ada.id}"` }, other)).toMatchObject({ totalResults: 0 });
    await other.scim.post('/Groups', { displayName: 'Staff', members: [{ value: ada.id }] }).expect(400);
    await other.scim.post('/Users', { userName: acme.address('ada') }).expect(400);
    await other.scim.madeGroup({ displayName: 'Staff' });
    expect(await acme.scim.user(ada.id)).toMatchObject({ externalId: 'Ext-Ada' });
  });
});

describe('The description of the service', () => {
  it('says which optional features of SCIM are supported', async () => {
    const { body } = await acme.scim.get('/ServiceProviderConfig').expect(200);
    expect(body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
    });
  });

  it('lists the kinds of resources and their attributes', async () => {
    const types = (await acme.scim.get('/ResourceTypes').expect(200)).body as { Resources: { id: string }[] };
    expect(types.Resources.map(({ id }) => id)).toEqual(['User', 'Group']);
    const schemas = (await acme.scim.get('/Schemas').expect(200)).body as { Resources: { id: string }[] };
    expect(schemas.Resources.map(({ id }) => id)).toEqual([USER_SCHEMA, GROUP_SCHEMA]);
    for (const [path, of] of [
      ['/ResourceTypes', types],
      ['/Schemas', schemas],
    ] as const) {
      for (const resource of of.Resources)
        expect((await acme.scim.get(`${path}/${resource.id}`).expect(200)).body).toEqual(resource);
      expect((await acme.scim.get(`${path}/nothing`).expect(404)).body).toEqual(scimError(404));
    }
  });
});
