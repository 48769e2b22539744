import { EnumField } from '../../../platform/http/validation/index.js';

export const WANTED_SPANS = ['requests', 'all'] as const;

export class OtlpTracesQuery {
  @EnumField(WANTED_SPANS, {
    optional: true,
    description: '`requests` (the default): spans of the kinds server and consumer. `all`: spans of every kind',
  })
  spans?: (typeof WANTED_SPANS)[number];
}
