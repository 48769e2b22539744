export {
  AnyField,
  BooleanField,
  ConstantField,
  DateField,
  DateTimeField,
  EmailField,
  EnumField,
  IntField,
  KindField,
  ListField,
  NameField,
  NestedField,
  NumberField,
  ObjectField,
  TextField,
  UrlField,
  UuidField,
  type FieldOptions,
} from './decorators.js';
export {
  failed,
  type Failure,
  Fault,
  FAULT_TYPES,
  Faults,
  type FaultyMember,
  missing,
  type Read,
  ruleBroken,
} from './fault.js';
export { fieldsOf } from './class-metadata.js';
export { compile } from './compile.js';
export { brokenRule, MAX_ISSUES, ValidationError, type Issue } from './issue.js';
export { jsonInvalid, type JsonBodyOptions, parseJsonBody } from './json-body.js';
export type { Document, Kind } from './kind.js';
export { isSafeText } from './safe-text.js';
export { boolean, int, number } from './scalar-kinds.js';
export {
  DECLARED_BY,
  type JsonSchema,
  NAMED_SCHEMAS,
  namedSchema,
  schemaOf,
  union,
  VARIES_BY,
  type Variants,
  variesBy,
} from './named-schemas.js';
export type { Schema } from './schema.js';
export { any, isObject, jsonTextOr, list, nested, object, objectExpected } from './structure-kinds.js';
export { email, enumOf, text, url, uuid } from './text-kinds.js';
export { atMostAhead, date, dateTime, inFuture } from './time-kinds.js';
export { parseUuid } from './uuid-text.js';
export { issuesOf } from './validation-errors.js';
export { type JsonRules, validateJson, validateStrings, type StringSource, type Validated } from './validate.js';
export { parseMoment } from './iso-time.js';
