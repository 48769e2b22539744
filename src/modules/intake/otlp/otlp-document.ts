import { type JsonSchema, namedSchema, schemaOf } from '../../../platform/http/validation/index.js';
import { JSON_TYPE, PROTOBUF } from './otlp-answer.js';

/** Schemas cannot describe protobuf. */
const BYTES = { type: 'string', format: 'binary' };

const STATUS = {
  type: 'object',
  required: ['code', 'message'],
  description: 'A `google.rpc.Status`: an error of a request by OTLP.',
  properties: {
    code: { type: 'integer', description: 'The code of gRPC', examples: [3] },
    message: { type: 'string', description: 'The error in words', examples: ['Request body cannot be decoded'] },
    details: {
      type: 'array',
      items: { type: 'object', additionalProperties: true },
      description: 'Part of the protocol; this service sends none',
    },
  },
};

/** Errors, in the encoding of the request. */
export const OTLP_ERRORS = {
  prefix: 'Otlp',
  content: {
    [PROTOBUF]: { schema: { ...BYTES, description: 'A `google.rpc.Status` in protobuf' } },
    [JSON_TYPE]: { schema: namedSchema('OtlpStatus', { OtlpStatus: STATUS }) },
  },
};

/** The messages of a signal as OTLP names them, and the member that counts rejected records. */
interface Messages {
  readonly request: string;
  readonly response: string;
  readonly partialSuccess: string;
  readonly rejected: string;
  /** The member of a request that holds its records. */
  readonly records: string;
}

export const LOGS: Messages = {
  request: 'ExportLogsServiceRequest',
  response: 'ExportLogsServiceResponse',
  partialSuccess: 'ExportLogsPartialSuccess',
  rejected: 'rejectedLogRecords',
  records: 'resourceLogs',
};
export const TRACES: Messages = {
  request: 'ExportTraceServiceRequest',
  response: 'ExportTraceServiceResponse',
  partialSuccess: 'ExportTracePartialSuccess',
  rejected: 'rejectedSpans',
  records: 'resourceSpans',
};
export const METRICS: Messages = {
  request: 'ExportMetricsServiceRequest',
  response: 'ExportMetricsServiceResponse',
  partialSuccess: 'ExportMetricsPartialSuccess',
  rejected: 'rejectedDataPoints',
  records: 'resourceMetrics',
};

/**
 * Returns the media types of a request, each with its schema. The schema does not describe the records, which OTLP
 * defines.
 */
export function otlpBody({ request, records }: Messages): Record<string, object> {
  const resources = { type: 'array', items: { type: 'object', additionalProperties: true } };
  const schema = { type: 'object', properties: { [records]: resources } };
  return {
    [PROTOBUF]: { ...BYTES, description: `An \`${request}\` in protobuf` },
    [JSON_TYPE]: { ...schema, description: `An \`${request}\` in JSON` },
  };
}

/** Describes the answer to a successful request, in the encoding of the request. */
export function otlpAnswer(messages: Messages): { content: Record<string, JsonSchema>; description: string } {
  const { response, partialSuccess, rejected } = messages;
  const schemas = {
    [response]: {
      type: 'object',
      description: 'The answer of OTLP to a request. It is empty when nothing was rejected.',
      properties: { partialSuccess: schemaOf(partialSuccess) },
    },
    [partialSuccess]: {
      type: 'object',
      required: [rejected, 'errorMessage'],
      description: 'How much of a request was rejected, and why.',
      properties: {
        [rejected]: { type: 'string', description: 'The number of rejected records, in digits', examples: ['2'] },
        errorMessage: { type: 'string', description: 'The reasons' },
      },
    },
  };
  return {
    description: 'The answer of the protocol, in the encoding of the request',
    content: {
      [PROTOBUF]: { ...BYTES, description: `An \`${response}\` in protobuf` },
      [JSON_TYPE]: namedSchema(response, schemas),
    },
  };
}
