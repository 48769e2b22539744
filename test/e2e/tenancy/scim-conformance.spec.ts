import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  bodyOf,
  type ProvisionedTenant,
  provisionedTenant,
  ScimApi,
  scimError,
  type ScimResource,
  USER_SCHEMA,
} from '../../support/scim-api.js';

interface Page {
  readonly Resources: readonly ScimResource[];
}

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/**
 * The twelve steps of the "SCIM 2.0 SPEC Test" that Okta publishes and requires of the applications in its catalog, in
 * their order.
 */
describe('the specification test of Okta', () => {
  let acme: ProvisionedTenant;
  let first: ScimResource;

  const userOf = (userName: string, givenName: string, familyName: string) => ({
    schemas: [USER_SCHEMA],
    userName,
    name: { givenName, familyName },
    emails: [{ primary: true, value: userName, type: 'work' }],
    displayName: `${givenName} ${familyName}`,
    active: true,
  });
  const pageOf = async (path: string, query: object = {}): Promise<Page> =>
    (await acme.scim.get(path, query).expect(200)).body as Page;

  beforeAll(async () => {
    acme = await provisionedTenant();
    first = await acme.scim.made(userOf(acme.address(), 'Morgan', 'Chen'));
  });

  it('lists the first user with all its attributes', async () => {
    const page = await pageOf('/Users', { count: 1, startIndex: 1 });
    expect(page).toMatchObject({ schemas: [LIST_SCHEMA], startIndex: 1, itemsPerPage: 1 });
    const { id, name, userName, active, emails } = first;
    expect(page.Resources).toEqual([expect.objectContaining({ id, name, userName, active, emails })]);
  });

  it('returns a user by its id', async () => {
    const { id, name, userName, emails } = first;
    expect(await acme.scim.user(id)).toMatchObject({ id, name, userName, active: true, emails });
  });

  it('finds nobody by a user name that does not exist', async () => {
    const page = await pageOf('/Users', { filter: 'userName eq "nobody@example.com"' });
    expect(page).toMatchObject({ schemas: [LIST_SCHEMA], totalResults: 0 });
  });

  it.each(['00000000000000000000', '00919288221112222'])('answers 404 for the unknown id %s', async (id) => {
    expect((await acme.scim.get(`/Users/${id}`).expect(404)).body).toEqual(scimError(404));
  });

  it('makes a user once, returns it, and finds it by the user name in capitals', async () => {
    const person = userOf(acme.address(), 'Jordan', 'Rivera');
    const { userName, name } = person;
    expect(await acme.scim.found(`userName eq "${userName}"`)).toEqual([]);
    const made = bodyOf(await acme.scim.withType('application/json').post('/Users', person).expect(201));
    expect(made).toMatchObject(person);
    expect(await acme.scim.user(made.id)).toMatchObject({ userName, name });
    const { body } = await acme.scim.post('/Users', person).expect(409);
    expect(body).toEqual(scimError(409, 'uniqueness'));
    expect(await acme.scim.found(`userName eq "${userName.toUpperCase()}"`)).toEqual([userName]);
  });

  it('lists groups, of which there are none', async () => {
    expect(await pageOf('/Groups')).toMatchObject({ schemas: [LIST_SCHEMA], totalResults: 0, Resources: [] });
  });

  it('answers 401 to a token that does not exist', async () => {
    expect((await new ScimApi('non-token').get('/Users').expect(401)).body).toEqual(scimError(401));
  });
});
