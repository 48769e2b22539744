import { Injectable } from '@nestjs/common';
import type { ApiKeyScope } from '../../access/index.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import {
  answered,
  type DraftOrRefusal,
  type IntakeResponse,
  IntakeService,
  JsonItemsReader,
  repeatOf,
} from '../core/index.js';
import { jsonDraft, type JsonDefaults } from './json-draft.js';

const LINES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];
export const JSON_MEDIA_TYPES = ['application/json', ...LINES];

interface JsonRequest {
  readonly scope: ApiKeyScope;
  readonly key: string | undefined;
  readonly defaults: JsonDefaults;
  readonly body: Buffer;
  readonly request: CheckedRequest;
  readonly requestId: string;
}

/** Takes JSON of any shape. */
@Injectable()
export class JsonIntakeService {
  constructor(
    private readonly intake: IntakeService,
    private readonly json: JsonItemsReader,
  ) {}

  async take({ scope, key, defaults, body, request, requestId }: JsonRequest): Promise<IntakeResponse> {
    const areLines = LINES.includes((request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '');
    const read = await (areLines ? this.json.readLines(body, scope.projectId) : this.json.read(body, scope.projectId));
    const items = read.map((item): DraftOrRefusal => ('refusal' in item ? item : jsonDraft(item.value, defaults)));
    const repeat = repeatOf(key, ['json', defaults.event_type ?? '', defaults.source ?? ''], body);
    return answered(request, await this.intake.submit({ sender: scope, items, repeat, requestId }));
  }
}
