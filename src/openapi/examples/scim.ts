import type { ExampleBody, Examples } from './example.js';

const BASE = 'https://api.acme.example/scim/v2';
const USER = '019cadc6-9a80-704f-8000-000000000001';
const GROUP = '019cadc6-9a80-7ad9-8000-000000000001';
const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const MADE = '2026-03-02T04:10:38.000Z';
const CHANGED = '2026-03-02T04:12:05.000Z';

function scim(value: object): ExampleBody {
  return { type: 'application/scim+json', value };
}

/** The answer of a list or search that finds these resources. */
function found(...resources: object[]): ExampleBody {
  return scim({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: resources.length,
    startIndex: 1,
    itemsPerPage: resources.length,
    Resources: resources,
  });
}

function search(filter: string): ExampleBody {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'];
  return scim({ schemas, filter, startIndex: 1, count: 10 });
}

function patch(...operations: object[]): ExampleBody {
  return scim({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations });
}

function metaOf(path: string, lastModified: string, version: string): object {
  const [resourceType] = path.split('s/', 1);
  return { resourceType, created: MADE, lastModified, location: `${BASE}/${path}`, version };
}

const ADA = {
  externalId: '00u1a2b3c4',
  userName: 'ada@acme.example',
  displayName: 'Ada Lovelace',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
};
const EMAILS = [{ type: 'work', value: 'ada@acme.example', primary: true }];
/** Without the `$ref` of SCIM, which readers of OpenAPI follow even in an example. */
const GROUPS = [{ value: GROUP, display: 'Engineering', type: 'direct' }];

const user = {
  schemas: [USER_SCHEMA],
  id: USER,
  ...ADA,
  active: true,
  emails: EMAILS,
  groups: GROUPS,
  meta: metaOf(`Users/${USER}`, CHANGED, 'W/"2"'),
};

const group = {
  schemas: [GROUP_SCHEMA],
  id: GROUP,
  externalId: '00g1a2b3c4',
  displayName: 'Engineering',
  members: [{ value: USER, display: 'Ada Lovelace', type: 'User' }],
  meta: metaOf(`Groups/${GROUP}`, MADE, 'W/"1"'),
};

/** Describes an attribute, which is an optional text where `changes` do not say otherwise. */
function attribute(name: string, description: string, changes: object = {}): object {
  return {
    name,
    description,
    type: 'string',
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...changes,
  };
}

function schema(id: string, name: string, attributes: object[]): object {
  const meta = { resourceType: 'Schema', location: `${BASE}/Schemas/${id}` };
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    id,
    name,
    description: `The attributes of a ${name}`,
    attributes,
    meta,
  };
}

const userSchema = schema(USER_SCHEMA, 'User', [
  attribute('userName', 'The address of the account, in a verified domain of the organization', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('externalId', 'The id of the user at the provider', { caseExact: true, uniqueness: 'server' }),
]);
const groupSchema = schema(GROUP_SCHEMA, 'Group', [
  attribute('displayName', 'The name, by which roles are mapped', { required: true, uniqueness: 'server' }),
  attribute('externalId', 'The id of the group at the provider', { caseExact: true }),
]);

function resourceType(name: string, description: string, schemaOfType: string): object {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint: `/${name}s`,
    description,
    schema: schemaOfType,
    schemaExtensions: [],
    meta: { resourceType: 'ResourceType', location: `${BASE}/ResourceTypes/${name}` },
  };
}

const userType = resourceType('User', 'An account that the provider keeps', USER_SCHEMA);
const groupType = resourceType('Group', 'A group that decides roles', GROUP_SCHEMA);

/** Written by hand, because recordings have only the operations of the public document. */
export const EXAMPLES: Examples = {
  listScimGroups: {
    parameters: { filter: 'displayName eq "Engineering"', startIndex: 1, count: 100 },
    answer: found(group),
  },
  createScimGroup: {
    request: scim({
      schemas: [GROUP_SCHEMA],
      displayName: 'Engineering',
      externalId: '00g1a2b3c4',
      members: [{ value: USER }],
    }),
    answer: scim(group),
  },
  searchScimGroups: { request: search('displayName eq "Engineering"'), answer: found(group) },
  getScimGroup: { parameters: { id: GROUP }, answer: scim(group) },
  replaceScimGroup: {
    parameters: { id: GROUP },
    request: scim({ schemas: [GROUP_SCHEMA], displayName: 'Platform', members: [{ value: USER }] }),
    answer: scim({
      schemas: [GROUP_SCHEMA],
      id: GROUP,
      displayName: 'Platform',
      members: group.members,
      meta: metaOf(`Groups/${GROUP}`, CHANGED, 'W/"2"'),
    }),
  },
  patchScimGroup: {
    parameters: { id: GROUP, attributes: 'displayName,externalId' },
    request: patch({ op: 'add', path: 'members', value: [{ value: USER }] }),
    answer: scim({ schemas: [GROUP_SCHEMA], id: GROUP, externalId: '00g1a2b3c4', displayName: 'Engineering' }),
  },
  deleteScimGroup: { parameters: { id: GROUP } },
  listScimResourceTypes: { answer: found(userType, groupType) },
  getScimResourceType: { parameters: { id: 'User' }, answer: scim(userType) },
  listScimSchemas: { answer: found(userSchema, groupSchema) },
  getScimSchema: { parameters: { id: GROUP_SCHEMA }, answer: scim(groupSchema) },
  getScimServiceProviderConfig: {
    answer: scim({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [
        {
          type: 'oauthbearertoken',
          name: 'Bearer token',
          description: 'A provisioning token of the organization, in the header Authorization',
          specUri: 'https://www.rfc-editor.org/info/rfc6750',
          primary: true,
        },
      ],
      meta: { resourceType: 'ServiceProviderConfig', location: `${BASE}/ServiceProviderConfig` },
    }),
  },
  listScimUsers: { parameters: { filter: 'userName eq "ada@acme.example"' }, answer: found(user) },
  createScimUser: {
    request: scim({ schemas: [USER_SCHEMA], ...ADA, active: true, emails: EMAILS }),
    answer: scim({
      schemas: [USER_SCHEMA],
      id: USER,
      ...ADA,
      active: true,
      emails: EMAILS,
      meta: metaOf(`Users/${USER}`, MADE, 'W/"1"'),
    }),
  },
  searchScimUsers: { request: search('userName sw "ada"'), answer: found(user) },
  getScimUser: { parameters: { id: USER }, answer: scim(user) },
  replaceScimUser: {
    parameters: { id: USER },
    request: scim({ schemas: [USER_SCHEMA], userName: 'ada@acme.example', displayName: 'Ada', active: true }),
    answer: scim({
      schemas: [USER_SCHEMA],
      id: USER,
      userName: 'ada@acme.example',
      displayName: 'Ada',
      active: true,
      groups: GROUPS,
      meta: metaOf(`Users/${USER}`, CHANGED, 'W/"2"'),
    }),
  },
  patchScimUser: {
    parameters: { id: USER },
    request: patch({ op: 'replace', path: 'active', value: false }),
    answer: scim({ ...user, active: false, meta: metaOf(`Users/${USER}`, CHANGED, 'W/"3-inactive"') }),
  },
  deleteScimUser: { parameters: { id: USER } },
};
