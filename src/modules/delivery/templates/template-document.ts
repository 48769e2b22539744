import { type Document, type JsonSchema, namedSchema, schemaOf } from '../../../platform/http/validation/index.js';
import { PRESET_NAMES } from './presets.js';
import { PLACEHOLDERS } from './template-values.js';

const TEMPLATE: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    preset: schemaOf('BodyPreset'),
    body: {
      description: `Any JSON instead of a preset, of at most 16 KiB with the rest. Placeholders in its texts: ${PLACEHOLDERS.map((name) => `\`{{${name}}}\``).join(', ')}. A text that is nothing but a placeholder takes the type of its value`,
    },
    parameters: {
      type: 'object',
      additionalProperties: { type: 'string', minLength: 1, maxLength: 2_048 },
      description:
        'Needed by presets: `routing_key` (pagerduty-events-v2), `chat_id` (telegram); `api_key` (opsgenie) is optional. `{{secret:NAME}}` becomes the value of that secret when it is sent; `routing_key` and `api_key` must contain one',
    },
  },
};

/** The schema of a template, in the OpenAPI document. */
export const TEMPLATE_DOCUMENT: Document = namedSchema('BodyTemplate', {
  BodyTemplate: TEMPLATE,
  BodyPreset: { type: 'string', enum: [...PRESET_NAMES], description: 'A service whose format the body has' },
});
