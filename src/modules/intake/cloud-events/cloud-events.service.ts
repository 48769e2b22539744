import { Injectable } from '@nestjs/common';
import type { ApiKeyScope } from '../../access/index.js';
import { UnsupportedMediaType } from '../../../platform/http/domain-error.js';
import type { CheckedRequest } from '../../../platform/http/inputs.js';
import {
  answered,
  type DraftOrRefusal,
  type IntakeResponse,
  IntakeService,
  JsonItemsReader,
  repeatOf,
} from '../core/index.js';
import { attributesOf } from './binary-mode.js';
import { cloudEventDraft, type CloudEventData, dataOfBytes, isJsonType, structuredDraft } from './cloud-event-draft.js';

const STRUCTURED = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';

interface CloudEventsRequest {
  readonly scope: ApiKeyScope;
  readonly key: string | undefined;
  readonly body: Buffer;
  readonly request: CheckedRequest;
  readonly requestId: string;
}

/** Takes CloudEvents 1.0 in the three modes of the HTTP binding. */
@Injectable()
export class CloudEventsService {
  constructor(
    private readonly intake: IntakeService,
    private readonly json: JsonItemsReader,
  ) {}

  async take({ scope, key, body, request, requestId }: CloudEventsRequest): Promise<IntakeResponse> {
    const items = await this.itemsOf(request, body, scope.projectId);
    const { 'content-type': type } = request.headers;
    const repeat = repeatOf(key, ['cloudevents', type ?? '', JSON.stringify(attributesOf(request.headers))], body);
    return answered(request, await this.intake.submit({ sender: scope, items, repeat, requestId }));
  }

  private async itemsOf({ headers }: CheckedRequest, body: Buffer, holder: string): Promise<DraftOrRefusal[]> {
    const type = headers['content-type'];
    const mediaType = type?.split(';', 1)[0]?.trim().toLowerCase();
    if (mediaType === STRUCTURED || mediaType === BATCH) {
      const items = await this.json.read(body, holder);
      return items.map((item) => ('refusal' in item ? item : structuredDraft(item.value)));
    }
    if (mediaType?.startsWith('application/cloudevents') === true)
      throw new UnsupportedMediaType({ 'Accept-Post': `${STRUCTURED}, ${BATCH}, */*` });
    const data = await this.binaryData(body, type, holder);
    return [cloudEventDraft({ attributes: attributesOf(headers), data })];
  }

  private async binaryData(body: Buffer, type: string | undefined, holder: string): Promise<CloudEventData> {
    if (body.length === 0 || !isJsonType(type)) return dataOfBytes(body, type);
    const parsed = await this.json.parse(body, holder);
    return 'value' in parsed ? parsed : { refusal: 'The data is not the JSON that its content type says' };
  }
}
