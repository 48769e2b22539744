import {
  BooleanField,
  ConstantField,
  EnumField,
  IntField,
  type Kind,
  ListField,
  nested,
  ObjectField,
  text,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';
import { getSchemaPath } from '@nestjs/swagger';
import { EventRecord } from '../fields/index.js';
import { AskedWindow, WindowResponse } from '../time-ranges/index.js';
import { QUERY_LIMITS, REQUEST_LIMITS } from '../eql-language/index.js';
import { RESULT_POSITIONS, type ResultPosition } from './matching/result-window.js';

export class LanguageQuery {
  @UuidField({})
  project_id!: string;
}

export class EqlRequest extends AskedWindow {
  @UuidField({})
  project_id!: string;

  @TextField({
    min: 1,
    max: QUERY_LIMITS.characters,
    example:
      'sequence by properties.user with maxspan=5m [login.failed where true] with runs=3 [login.succeeded where true]',
    description: 'In the Event Query Language',
  })
  query!: string;

  @IntField({
    min: 1,
    max: REQUEST_LIMITS.limit,
    optional: true,
    default: 100,
    description: 'Events, or whole sequences or samples',
  })
  limit!: number;

  @EnumField(RESULT_POSITIONS, {
    optional: true,
    default: 'tail',
    description: 'The last results or the first ones; both are listed ascending',
  })
  result_position!: ResultPosition;

  @IntField({
    min: 1,
    max: REQUEST_LIMITS.max_samples_per_key,
    optional: true,
    default: 1,
    description: 'Of a sample query',
  })
  max_samples_per_key!: number;
}

export class MissingEvent {
  @ConstantField(true, { description: 'No such event came, as the query asks' })
  missing!: true;
}

/** Describes an event, or the mark of a missing event. */
function eventOrMissing(): Kind<EventRecord | MissingEvent> {
  return {
    document: { oneOf: [{ $ref: getSchemaPath(EventRecord) }, { $ref: getSchemaPath(MissingEvent) }] },
    build: () => (value) => value as EventRecord | MissingEvent,
  };
}

export class FoundSequenceResponse {
  @ListField(keyValue(), { description: 'What its events have in common, in the order of the keys; null is missing' })
  join_keys!: (string | number | boolean | null)[];

  @ListField(eventOrMissing(), { description: 'One for each term, runs spelled out' })
  events!: (EventRecord | MissingEvent)[];
}

function keyValue(): Kind<string | number | boolean | null> {
  return {
    document: { anyOf: ['string', 'number', 'boolean', 'null'].map((type) => ({ type })) },
    build: () => (value) => value as string | number | boolean | null,
  };
}

export const RESULT_KINDS = ['events', 'sequences', 'samples'] as const;

export class EqlAnswer extends WindowResponse {
  @EnumField(RESULT_KINDS, { description: 'Which of the lists the query fills' })
  kind!: (typeof RESULT_KINDS)[number];

  @ListField(nested(() => EventRecord), { description: 'Of an event query; else empty' })
  events!: EventRecord[];

  @ListField(nested(() => FoundSequenceResponse), { description: 'Of a sequence or a sample; else empty' })
  sequences!: FoundSequenceResponse[];

  @BooleanField({ description: 'Whether more matched than are listed' })
  has_more!: boolean;

  @IntField({ min: 0, description: 'Events that were looked at' })
  scanned!: number;

  @IntField({ min: 0, description: 'How long it took, in milliseconds' })
  took_ms!: number;

  @ListField(text({}), { description: 'Sentences about what may be mistaken, such as a property that no event has' })
  warnings!: string[];
}

export class LanguageField {
  @TextField({ example: 'log.status', description: 'As queries write it' })
  name!: string;

  @TextField({ description: 'text, number, boolean, time, object, list; several are separated by a comma' })
  type!: string;

  @BooleanField({ description: 'False: every event has it by this name' })
  is_property!: boolean;
}

export class LanguageOperator {
  @TextField({ example: 'like~', description: 'As queries write it' })
  name!: string;

  @TextField({ description: 'What it is for, in words' })
  description!: string;
}

export class LanguageArgument {
  @TextField({ description: 'Tells what it is for' })
  name!: string;

  @TextField({ example: 'text', description: 'What values it takes' })
  type!: string;

  @BooleanField({ description: 'May be left out' })
  is_optional!: boolean;

  @BooleanField({ description: 'May be given several times' })
  is_variadic!: boolean;
}

export class LanguageFunction {
  @TextField({ example: 'startsWith', description: 'As queries write it' })
  name!: string;

  @ListField(nested(() => LanguageArgument), { description: 'In their order' })
  arguments!: LanguageArgument[];

  @TextField({ example: 'boolean', description: 'Type of what it gives' })
  returns!: string;

  @BooleanField({ description: 'Whether name~(…) takes texts in any case' })
  has_case_insensitive_form!: boolean;

  @TextField({ description: 'What it is for, in words' })
  description!: string;
}

export class LanguageResponse {
  @TextField({ example: '1', description: 'Of the language' })
  version!: string;

  @ListField(text({}), { description: 'Up to 200 event types of 30 days, most events first' })
  categories!: string[];

  @ListField(nested(() => LanguageField), {
    description: 'Those of the service, then up to 200 properties of the 500 newest events',
  })
  fields!: LanguageField[];

  @ListField(text({}), { description: 'Words that no field may have unquoted' })
  keywords!: string[];

  @ListField(nested(() => LanguageOperator), { description: 'Between two values' })
  operators!: LanguageOperator[];

  @ListField(nested(() => LanguageFunction), { description: 'Of values' })
  functions!: LanguageFunction[];

  @ListField(text({}), { description: 'Behind a query' })
  pipes!: string[];

  @ObjectField({
    document: { additionalProperties: { type: 'integer' } },
    description: 'Every number that a query is held to, by name',
  })
  limits!: Record<string, number>;
}
