import { ExactNumber } from '../../../../platform/json/index.js';
import { addAttribute, doubleValue, mayNest } from '../attribute-list.js';
import { MAX_DEPTH, TOO_DEEP } from '../limits.js';
import { type AttributeList, newAttributeList, type OtlpValue, type Scope } from '../records.js';
import { checkEnd, endOfMessage, FIXED64, LENGTH, type Reader, skipField, tag, VARINT } from './fields.js';

const STRING = tag(1, LENGTH);
const BOOL = tag(2, VARINT);
const INT = tag(3, VARINT);
const DOUBLE = tag(4, FIXED64);
const ARRAY = tag(5, LENGTH);
const MAP = tag(6, LENGTH);
const BYTES = tag(7, LENGTH);

const NAME = tag(1, LENGTH);
const VALUE = tag(2, LENGTH);

const ITEM = tag(1, LENGTH);

const ATTRIBUTE = tag(1, LENGTH);
const DROPPED = tag(2, VARINT);

const SCOPE_VERSION = tag(2, LENGTH);
const SCOPE_ATTRIBUTE = tag(3, LENGTH);
const SCOPE_DROPPED = tag(4, VARINT);

/**
 * Reads an `AnyValue` with its length.
 * @param owner counts the members of maps that are left out
 * @param depth the number of lists and maps around the value
 */
export function readValue(reader: Reader, owner: AttributeList, depth: number): OtlpValue {
  const end = endOfMessage(reader);
  let value: OtlpValue = null;
  while (reader.pos < end) {
    const next = reader.tag();
    switch (next) {
      case STRING:
        value = reader.string();
        break;
      case BOOL:
        value = reader.bool();
        break;
      case INT:
        value = readInteger(reader);
        break;
      case DOUBLE:
        value = doubleValue(reader.double());
        break;
      case BYTES:
        value = Buffer.from(reader.bytes()).toString('base64');
        break;
      case ARRAY:
      case MAP:
        if (depth >= MAX_DEPTH) {
          skipField(reader, next);
          value = TOO_DEEP;
        } else value = next === ARRAY ? readList(reader, owner, depth + 1) : readMap(reader, owner, depth + 1);
        break;
      default:
        skipField(reader, next);
    }
  }
  checkEnd(reader, end);
  return value;
}

/** Reads a `KeyValue` with its length, and adds it to the attributes. */
export function readAttribute(reader: Reader, list: AttributeList): void {
  readPair(reader, list, list, 0);
}

/** Reads the `Resource` of a message into the list. */
export function readResource(reader: Reader, list: AttributeList): void {
  const end = endOfMessage(reader);
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === ATTRIBUTE) readAttribute(reader, list);
    else if (next === DROPPED) list.dropped += reader.uint32();
    else skipField(reader, next);
  }
  checkEnd(reader, end);
}

/** Reads an `InstrumentationScope` into the scope. */
export function readScope(reader: Reader, scope: Scope): void {
  const end = endOfMessage(reader);
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === NAME) scope.name = reader.string();
    else if (next === SCOPE_VERSION) scope.version = reader.string();
    else if (next === SCOPE_ATTRIBUTE) readAttribute(reader, scope);
    else if (next === SCOPE_DROPPED) scope.dropped += reader.uint32();
    else skipField(reader, next);
  }
  checkEnd(reader, end);
}

function readPair(reader: Reader, list: AttributeList, owner: AttributeList, depth: number): void {
  const end = endOfMessage(reader);
  let name = '';
  let value: OtlpValue = null;
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === NAME) name = reader.string();
    else if (next === VALUE) value = readValue(reader, owner, depth);
    else skipField(reader, next);
  }
  checkEnd(reader, end);
  addAttribute(list, name, value);
}

function readList(reader: Reader, owner: AttributeList, depth: number): OtlpValue[] {
  const end = endOfMessage(reader);
  const items: OtlpValue[] = [];
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === ITEM && mayNest(owner)) items.push(readValue(reader, owner, depth));
    else skipField(reader, next);
  }
  checkEnd(reader, end);
  return items;
}

function readMap(reader: Reader, owner: AttributeList, depth: number): OtlpValue {
  const end = endOfMessage(reader);
  const map = newAttributeList();
  while (reader.pos < end) {
    const next = reader.tag();
    if (next === ITEM && mayNest(owner)) readPair(reader, map, owner, depth);
    else skipField(reader, next);
  }
  checkEnd(reader, end);
  owner.dropped += map.dropped;
  return map.attributes;
}

/** Returns an `int64` with all its digits. */
function readInteger(reader: Reader): number | ExactNumber {
  const { low, high } = reader.int64();
  const double = high * 2 ** 32 + (low >>> 0);
  if (Number.isSafeInteger(double)) return double;
  return new ExactNumber(((BigInt(high) << 32n) | BigInt(low >>> 0)).toString());
}
