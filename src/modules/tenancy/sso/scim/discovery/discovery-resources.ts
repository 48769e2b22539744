import { GROUP_SCHEMA } from '../groups/group-resource.js';
import { MAX_COUNT } from '../queries/list-request.js';
import { USER_SCHEMA } from '../users/user-resource.js';

const CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';
const TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';

interface Attribute {
  readonly name: string;
  readonly description: string;
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference';
  readonly multiValued?: boolean;
  readonly required?: boolean;
  readonly mutability?: 'readWrite' | 'readOnly' | 'immutable';
  readonly uniqueness?: 'none' | 'server';
  readonly caseExact?: boolean;
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

/** Returns the capabilities of the service (RFC 7643, section 5). */
export function serviceProviderConfig(base: string): object {
  return {
    schemas: [CONFIG_SCHEMA],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_COUNT },
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
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  };
}

/** Returns the types of resources (RFC 7643, section 6). */
export function resourceTypes(base: string): object[] {
  return [resourceType(base, 'User', USER_SCHEMA), resourceType(base, 'Group', GROUP_SCHEMA)];
}

function resourceType(base: string, name: 'User' | 'Group', schema: string): object {
  return {
    schemas: [TYPE_SCHEMA],
    id: name,
    name,
    endpoint: `/${name}s`,
    description: name === 'User' ? 'An account that the provider keeps' : 'A group that decides roles',
    schema,
    schemaExtensions: [],
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  };
}

const GROUPS_OF_USER: readonly Attribute[] = [
  { name: 'value', description: 'The id of the group', mutability: 'readOnly', caseExact: true },
  {
    name: '$ref',
    type: 'reference',
    description: 'The address of the group',
    mutability: 'readOnly',
    referenceTypes: ['Group'],
    caseExact: true,
  },
  { name: 'display', description: 'The name of the group', mutability: 'readOnly' },
  { name: 'type', description: 'Always direct', mutability: 'readOnly' },
];

const USER: readonly Attribute[] = [
  {
    name: 'userName',
    description: 'The address of the account, in a verified domain of the organization',
    required: true,
    uniqueness: 'server',
  },
  { name: 'externalId', description: 'The id of the user at the provider', uniqueness: 'server', caseExact: true },
  { name: 'displayName', description: 'The name of the user' },
  {
    name: 'name',
    type: 'complex',
    description: 'The parts of the name',
    subAttributes: [
      { name: 'formatted', description: 'The whole name' },
      { name: 'givenName', description: 'The given name' },
      { name: 'familyName', description: 'The family name' },
    ],
  },
  { name: 'active', type: 'boolean', description: 'Whether the person is a member of the organization' },
  {
    name: 'emails',
    type: 'complex',
    multiValued: true,
    description: 'Addresses, which are kept for the provider only',
    subAttributes: [
      { name: 'value', description: 'The address' },
      { name: 'type', description: 'For example work' },
      { name: 'display', description: 'A name of the address' },
      { name: 'primary', type: 'boolean', description: 'Whether it is the first address' },
    ],
  },
  {
    name: 'groups',
    type: 'complex',
    multiValued: true,
    description: 'The groups of the user',
    mutability: 'readOnly',
    subAttributes: GROUPS_OF_USER,
  },
];

const GROUP: readonly Attribute[] = [
  { name: 'displayName', description: 'The name, by which roles are mapped', required: true, uniqueness: 'server' },
  { name: 'externalId', description: 'The id of the group at the provider', caseExact: true },
  {
    name: 'members',
    type: 'complex',
    multiValued: true,
    description: 'Up to 10,000 users',
    subAttributes: [
      { name: 'value', description: 'The id of the user', mutability: 'immutable', caseExact: true },
      {
        name: '$ref',
        type: 'reference',
        description: 'The address of the user',
        mutability: 'immutable',
        referenceTypes: ['User'],
        caseExact: true,
      },
      { name: 'display', description: 'The name of the user', mutability: 'readOnly' },
      { name: 'type', description: 'Always User', mutability: 'immutable' },
    ],
  },
];

/** Returns the attributes that are stored (RFC 7643, section 7). Other attributes are accepted and ignored. */
export function schemas(base: string): object[] {
  return [schema(base, USER_SCHEMA, 'User', USER), schema(base, GROUP_SCHEMA, 'Group', GROUP)];
}

function schema(base: string, id: string, name: string, attributes: readonly Attribute[]): object {
  return {
    schemas: [SCHEMA_SCHEMA],
    id,
    name,
    description: `The attributes of a ${name}`,
    attributes: attributes.map(described),
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
  };
}

function described({ subAttributes, referenceTypes, ...attribute }: Attribute): object {
  const { type = 'string', caseExact = false } = attribute;
  return {
    ...attribute,
    type,
    multiValued: attribute.multiValued ?? false,
    required: attribute.required ?? false,
    ...(type !== 'complex' && type !== 'boolean' && { caseExact }),
    mutability: attribute.mutability ?? 'readWrite',
    returned: 'default',
    uniqueness: attribute.uniqueness ?? 'none',
    ...(referenceTypes !== undefined && { referenceTypes }),
    ...(subAttributes !== undefined && { subAttributes: subAttributes.map(described) }),
  };
}
