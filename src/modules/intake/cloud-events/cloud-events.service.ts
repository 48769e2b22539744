import { Injectable } from '@nestjs/common';
import type { ApiKeyScope } from '../../access/index.js';
import { UnsupportedMediaType } from '../../../platform/http/domain-error.js';
import type { Redact } from '../../tenancy/projects/index.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import {
  answered,
  type DraftOrRefusal,
  type IntakeResponse,
  IntakeService,
  type JsonItem,
  parseItem,
  readItems,
  type Reading,
  repeatOf,
} from '../core/index.js';
import { attributesOf } from './binary-mode.js';
import { cloudEventDraft, type CloudEventData, dataOfBytes, isJsonType, structuredDraft } from './cloud-event-draft.js';
import { BATCH, STRUCTURED } from './media-types.js';

interface CloudEventsRequest {
  readonly scope: ApiKeyScope;
  readonly key: string | undefined;
  readonly body: Buffer;
  readonly request: CheckedRequest;
  readonly requestId: string;
}

/** Receives CloudEvents 1.0 in the three modes of the HTTP binding. */
@Injectable()
export class CloudEventsService {
  constructor(private readonly intake: IntakeService) {}

  async take({ scope, key, body, request, requestId }: CloudEventsRequest): Promise<IntakeResponse> {
    const { 'content-type': type } = request.headers;
    const repeat = repeatOf(key, ['cloudevents', type ?? '', JSON.stringify(attributesOf(request.headers))], body);
    const items = (reading: Reading): Promise<Iterable<DraftOrRefusal>> => draftsOf(request, body, reading);
    const answer = await this.intake.submit({ sender: scope, size: body.length, items, repeat, requestId });
    return answered(request, answer);
  }
}

async function draftsOf(
  { headers }: CheckedRequest,
  body: Buffer,
  reading: Reading,
): Promise<Iterable<DraftOrRefusal>> {
  const redact = reading.redaction.properties;
  const type = headers['content-type'];
  const mediaType = type?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType === STRUCTURED || mediaType === BATCH) {
    return structuredDrafts(await readItems(body, reading), redact);
  }
  if (mediaType?.startsWith('application/cloudevents') === true)
    throw new UnsupportedMediaType({ 'Accept-Post': `${STRUCTURED}, ${BATCH}, */*` });
  const data = await binaryData(body, type, reading);
  return [cloudEventDraft({ attributes: attributesOf(headers), data }, redact)];
}

/** Maps the events of a batch while they are consumed. */
function* structuredDrafts(items: readonly JsonItem[], redact: Redact): Generator<DraftOrRefusal, void> {
  for (const item of items) yield 'refusal' in item ? item : structuredDraft(item.value, redact);
}

async function binaryData(body: Buffer, type: string | undefined, { rest }: Reading): Promise<CloudEventData> {
  if (body.length === 0 || !isJsonType(type)) return dataOfBytes(body, type);
  const parsed = parseItem(body);
  await rest();
  return 'value' in parsed ? parsed : { refusal: 'The data is not the JSON that its content type says' };
}
