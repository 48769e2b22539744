import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from './operation.js';
import { schemaOf } from '../platform/http/validation/index.js';

const UUID = { type: 'string', format: 'uuid' };

/** The meaning of members that many classes have. Each has its own type, which describes it once. */
const MEMBERS = {
  id: { name: 'Id', schema: UUID, description: 'Made by the service (UUIDv7), so ids are in the order of making.' },
  project_id: { name: 'ProjectId', schema: UUID, description: 'The project it belongs to.' },
  created_at: { name: 'CreatedAt', schema: { type: 'string', format: 'date-time' }, description: 'When it was made.' },
};

/** Descriptions of path parameters. */
const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  alert_event_id: 'An alert event',
  attempt_id: 'A delivery attempt',
  channel_id: 'A delivery channel',
  delivery_id: 'An alert delivery',
  destination_id: 'An alert destination',
  device_id: 'A trusted device',
  event_id: 'An event of the project',
  finding_id: 'A finding of the project',
  header_name: 'A protected header of the channel, in any case',
  invite_id: 'An invitation',
  key_id: 'An API key',
  object_id: 'A stored object',
  organization_id: 'An organization',
  part_number: 'A part of the upload, from 1',
  passkey_id: 'A passkey of the caller',
  project_id: 'A project',
  rule_id: 'An alert rule',
  secret_id: 'A secret',
  session_id: 'A session of the caller',
  silence_id: 'A silence',
  source_id: 'An Event Source',
  upload_id: 'An upload in parts',
  user_id: 'A member',
  view_id: 'A saved view of the project',
};

type Properties = Record<string, Record<string, unknown>>;

/** Gives common members their types, and path parameters their descriptions. */
export function describeCommon(document: OpenAPIObject): void {
  const schemas = (document.components ??= {}).schemas ?? {};
  for (const schema of Object.values(schemas)) {
    const { properties = {} } = schema as { properties?: Properties };
    for (const [member, { name, schema: common }] of Object.entries(MEMBERS)) {
      // A member that has its own description keeps it.
      if (JSON.stringify(properties[member]) === JSON.stringify(common)) properties[member] = { ...schemaOf(name) };
    }
  }
  for (const { name, schema, description } of Object.values(MEMBERS)) schemas[name] = { ...schema, description };
  for (const item of Object.values(document.paths)) {
    for (const { parameters = [] } of Object.values(item) as Operation[]) {
      for (const parameter of parameters) {
        const words = parameter.in === 'path' ? PATH_PARAMETERS[parameter.name] : undefined;
        if (words !== undefined) parameter.description ??= words;
        if (parameter.in === 'query' && parameter.name === 'project_id') parameter.description ??= 'The project';
      }
    }
  }
}
