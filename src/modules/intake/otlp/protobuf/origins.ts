import protobuf from 'protobufjs/minimal.js';
import { newAttributeList, newScope, type Of, type Origin } from '../records.js';
import { checkEnd, endOfMessage, LENGTH, type Reader, skipField, tag } from './fields.js';
import { readResource, readScope } from './values.js';

const RESOURCE_GROUP = tag(1, LENGTH);
const RESOURCE = tag(1, LENGTH);
const SCOPE_GROUP = tag(2, LENGTH);
const SCOPE = tag(1, LENGTH);
const RECORD = tag(2, LENGTH);

/**
 * Reads an export request of any signal. All signals have the same form: a list of resources, each with a list of
 * scopes, each with a list of records.
 * @param read reads one record with its length
 * @throws Error, RangeError when the bytes are not such a request
 */
export function* readRecords<Item>(body: Buffer, read: (reader: Reader) => Item): Generator<Of<Item>, void> {
  const reader = protobuf.Reader.create(body);
  while (reader.pos < reader.len) {
    const next = reader.tag();
    if (next === RESOURCE_GROUP) yield* readResourceGroup(reader, read);
    else skipField(reader, next);
  }
}

/** A resource may be encoded after its records, so the group is read twice. The first pass skips the scopes. */
function* readResourceGroup<Item>(reader: Reader, read: (reader: Reader) => Item): Generator<Of<Item>, void> {
  const end = endOfMessage(reader);
  const start = reader.pos;
  const resource = newAttributeList();
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === RESOURCE) readResource(reader, resource);
    else skipField(reader, next);
  }
  checkEnd(reader, end);
  reader.pos = start;
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === SCOPE_GROUP) yield* readScopeGroup(reader, { resource, scope: newScope() }, read);
    else skipField(reader, next);
  }
}

/** Reads the scope first, as `readResourceGroup` does with the resource. */
function* readScopeGroup<Item>(
  reader: Reader,
  origin: Origin,
  read: (reader: Reader) => Item,
): Generator<Of<Item>, void> {
  const end = endOfMessage(reader);
  const start = reader.pos;
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === SCOPE) readScope(reader, origin.scope);
    else skipField(reader, next);
  }
  checkEnd(reader, end);
  reader.pos = start;
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === RECORD) yield { origin, item: read(reader) };
    else skipField(reader, next);
  }
}
