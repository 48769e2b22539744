import { Injectable } from '@nestjs/common';
import type { ApiKeyScope } from '../../access/index.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import {
  answered,
  type DraftOrRefusal,
  type IntakeResponse,
  IntakeService,
  type JsonItem,
  type Reading,
  readItems,
  readLines,
  repeatOf,
} from '../core/index.js';
import { jsonDraft, type JsonDefaults } from './json-draft.js';

const LINES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];
export const JSON_MEDIA_TYPES = ['application/json', ...LINES];

/** The media types of a request, each with its schema. */
export const JSON_BODY = {
  'application/json': { description: 'An event as an object, or a list of events' },
  ...Object.fromEntries(LINES.map((type) => [type, { type: 'string', description: 'One event a line' }])),
};

interface JsonRequest {
  readonly scope: ApiKeyScope;
  readonly key: string | undefined;
  readonly defaults: JsonDefaults;
  readonly body: Buffer;
  readonly request: CheckedRequest;
  readonly requestId: string;
}

/** Receives JSON of any shape. */
@Injectable()
export class JsonIntakeService {
  constructor(private readonly intake: IntakeService) {}

  async take({ scope, key, defaults, body, request, requestId }: JsonRequest): Promise<IntakeResponse> {
    const mediaType = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    const read = LINES.includes(mediaType) ? readLines : readItems;
    const answer = await this.intake.submit({
      sender: scope,
      size: body.length,
      items: async (reading) => drafts(await read(body, reading), defaults, reading),
      repeat: repeatOf(key, ['json', defaults.event_type ?? '', defaults.source ?? ''], body),
      requestId,
    });
    return answered(request, answer);
  }
}

function* drafts(
  items: readonly JsonItem[],
  defaults: JsonDefaults,
  { redaction }: Reading,
): Generator<DraftOrRefusal> {
  for (const item of items) yield 'refusal' in item ? item : jsonDraft(item.value, defaults, redaction.properties);
}
