import type { Type } from '@nestjs/common';
import {
  failed,
  Fault,
  Faults,
  MAX_DEPTH,
  plural,
  tooDeep,
  withCheck,
  type Failure,
  type FaultyMember,
} from './fault.js';
import { MAX_ISSUES } from './issue.js';
import type { CheckOptions, Kind } from './kind.js';
import { inspectJson } from './safe-text.js';

/**
 * A free-form JSON object, returned as it was parsed. Text must be storable, numbers finite, and the nesting at most 64
 * levels.
 */
export function object(options: CheckOptions<Record<string, unknown>> = {}): Kind<Record<string, unknown>> {
  const read = (value: unknown): Record<string, unknown> | Failure => {
    if (!isObject(value)) return new Fault('dict_type', 'Input should be a valid dictionary', value);
    return inspectJson(value) ?? value;
  };
  return { document: { type: 'object', additionalProperties: true }, build: () => withCheck(read, options.check) };
}

/**
 * A value of the kind, or JSON text of at most `max` characters that contains such a value. The parsed value is
 * returned.
 */
export function jsonTextOr<T>(kind: Kind<T>, max: number): Kind<T> {
  return {
    document: { anyOf: [kind.document, { type: 'string', maxLength: max }] },
    build: (readerOf) => {
      const readValue = kind.build(readerOf);
      return (value, depth) => {
        if (typeof value !== 'string') return readValue(value, depth);
        if (value.length > max) {
          const msg = `String should have at most ${plural(max, 'character')}`;
          return new Fault('string_too_long', msg, value, { max_length: max });
        }
        let parsed: unknown;
        try {
          parsed = JSON.parse(value);
        } catch {
          return new Fault('json_invalid', 'Invalid JSON', value, { error: 'not JSON' });
        }
        const read = readValue(parsed, depth);
        return read instanceof Fault ? new Fault(read.type, read.msg, value, read.ctx) : read;
      };
    },
  };
}

/** Any JSON value including null. Text must be storable, numbers finite, and the nesting at most 64 levels. */
export function any(options: CheckOptions<unknown> = {}): Kind<unknown> {
  const read = (value: unknown): unknown => inspectJson(value) ?? value;
  const anyOf = ['string', 'number', 'boolean', 'null'].map((type): object => ({ type }));
  anyOf.push({ type: 'object', additionalProperties: true }, { type: 'array', items: {} });
  return { document: { anyOf }, build: () => withCheck(read, options.check) };
}

/** An object of another class that has fields. */
export function nested<T extends object>(cls: () => Type<T>, options: CheckOptions<T> = {}): Kind<T> {
  return {
    cls,
    // The document generator calls a function in the member `type` later, when the class is declared.
    document: { type: () => cls() },
    build: (readerOf) => {
      const members = readerOf(cls());
      const read = (value: unknown, depth: number): T | Failure => {
        if (!isObject(value)) return objectExpected(value);
        return depth > MAX_DEPTH ? tooDeep(value) : (members(value, depth) as T | Failure);
      };
      return withCheck(read, options.check);
    },
  };
}

export interface ListOptions<T> extends CheckOptions<T[]> {
  /** The number of items. */
  min?: number;
  max?: number;
}

/** A list of values of one kind. A list that is too long is refused before its items are read. */
export function list<T>(item: Kind<T>, options: ListOptions<T> = {}): Kind<T[]> {
  const { min = 0, max = Number.POSITIVE_INFINITY, check } = options;
  if (item.repeats && item.document['isArray']) throw new Error('A list of lists cannot hold objects of a class');
  const limits = { ...(min > 0 && { minItems: min }), ...(options.max !== undefined && { maxItems: max }) };
  const document = item.cls
    ? { ...item.document, isArray: true, ...limits }
    : { type: 'array', items: item.document, ...limits };
  return {
    document,
    repeats: true,
    build: (readerOf) => {
      const readItem = item.build(readerOf);
      const read = (value: unknown, depth: number): T[] | Failure => {
        if (!Array.isArray(value)) return new Fault('list_type', 'Input should be a valid list', value);
        if (value.length > max) return lengthFault('too_long', value, max);
        if (depth > MAX_DEPTH) return tooDeep(value);
        const items: T[] = [];
        const refused: FaultyMember[] = [];
        for (let index = 0; index < value.length && refused.length < MAX_ISSUES; index++) {
          const result = readItem(value[index], depth + 1);
          if (failed(result)) refused.push({ key: index, secret: false, fault: result });
          else items.push(result);
        }
        if (refused.length > 0) return new Faults(refused);
        return value.length < min ? lengthFault('too_short', value, min) : items;
      };
      return withCheck(read, check);
    },
  };
}

function lengthFault(type: 'too_long' | 'too_short', value: unknown[], limit: number): Fault {
  const [bound, name] = type === 'too_long' ? ['most', 'max_length'] : ['least', 'min_length'];
  const msg = `List should have at ${bound} ${plural(limit, 'item')} after validation, not ${value.length}`;
  return new Fault(type, msg, value, { field_type: 'List', [name]: limit, actual_length: value.length });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectExpected(value: unknown): Fault {
  const msg = 'Input should be a valid dictionary or object to extract fields from';
  return new Fault('model_attributes_type', msg, value);
}
