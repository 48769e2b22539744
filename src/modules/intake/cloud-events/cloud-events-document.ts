import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { namedSchema, schemaOf } from '../../../platform/http/validation/index.js';
import { BATCH, STRUCTURED } from './media-types.js';

const TEXT = { type: 'string', minLength: 1 };

const CLOUD_EVENT = {
  type: 'object',
  required: ['specversion', 'id', 'source', 'type'],
  additionalProperties: true,
  description: 'A CloudEvent in structured mode. Further members are extension attributes.',
  properties: {
    specversion: { ...TEXT, description: 'The version of CloudEvents: 1.0', examples: ['1.0'] },
    id: { ...TEXT, description: 'Unique for the `source`' },
    source: { ...TEXT, description: 'Where the event comes from' },
    type: { ...TEXT, description: 'What kind of event it is' },
    time: { type: 'string', description: 'When it happened' },
    subject: { type: 'string', description: 'What the event is about' },
    datacontenttype: { type: 'string', description: 'The media type of the data' },
    dataschema: { type: 'string', description: 'The address of the schema of the data' },
    data: { description: 'The data as JSON' },
    data_base64: { type: 'string', description: 'The data as base64, in place of `data`' },
  },
};

/** The media types of a request, each with its schema. */
export const CLOUD_EVENTS_BODY = {
  [STRUCTURED]: namedSchema('CloudEvent', { CloudEvent: CLOUD_EVENT }),
  [BATCH]: { type: 'array', items: schemaOf('CloudEvent'), maxItems: 1_000 },
  'application/json': { description: 'The data of an event in binary mode: any JSON' },
  '*/*': {
    type: 'string',
    format: 'binary',
    description: 'The data of an event in binary mode, of any other media type',
  },
};

/** Describes the headers of an event in binary mode. The other modes do not need them. */
export function BinaryModeHeaders(): MethodDecorator {
  const attributes = ['specversion', 'id', 'source', 'type'];
  return applyDecorators(
    ...attributes.map((name) =>
      ApiHeader({
        name: `ce-${name}`,
        required: false,
        description: `The attribute \`${name}\` in binary mode, which needs it`,
        schema: { type: 'string' },
      }),
    ),
  );
}
