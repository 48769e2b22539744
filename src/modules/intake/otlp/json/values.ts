import { ExactNumber } from '../../../../platform/json/index.js';
import { addAttribute, doubleValue, mayNest } from '../attribute-list.js';
import { MAX_DEPTH, TOO_DEEP, UndecodableBody } from '../limits.js';
import { type AttributeList, newAttributeList, newScope, type OtlpValue, type Scope } from '../records.js';
import { integer, list, message, text } from './members.js';

/**
 * Converts an `AnyValue`. A value without a member is null.
 * @param owner counts the members of maps that are left out
 * @param depth the number of lists and maps around the value
 * @throws UndecodableBody
 */
export function valueOf(any: unknown, owner: AttributeList, depth: number): OtlpValue {
  const { stringValue, intValue, boolValue, doubleValue: double, arrayValue, kvlistValue, bytesValue } = message(any);
  if (isSet(stringValue)) return text(stringValue);
  if (isSet(intValue)) return intOf(intValue);
  if (isSet(boolValue)) return boolOf(boolValue);
  if (isSet(double)) return doubleOf(double);
  if (isSet(bytesValue)) return text(bytesValue);
  if (!isSet(arrayValue) && !isSet(kvlistValue)) return null;
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  if (isSet(arrayValue)) {
    const items = list(message(arrayValue)['values']).filter(() => mayNest(owner));
    return items.map((item) => valueOf(item, owner, depth + 1));
  }
  const map = newAttributeList();
  addPairs(message(kvlistValue)['values'], map, owner, depth + 1);
  owner.dropped += map.dropped;
  return map.attributes;
}

/** Adds a list of `KeyValue`, and the number of attributes that the sender dropped. @throws UndecodableBody */
export function addAttributes(attributes: unknown, dropped: unknown, to: AttributeList): void {
  addPairs(attributes, to, to, 0);
  to.dropped += integer(dropped);
}

/** @throws UndecodableBody */
export function resourceOf(resource: unknown): AttributeList {
  const { attributes, droppedAttributesCount } = message(resource);
  const read = newAttributeList();
  addAttributes(attributes, droppedAttributesCount, read);
  return read;
}

/** @throws UndecodableBody */
export function scopeOf(sent: unknown): Scope {
  const { name, version, attributes, droppedAttributesCount } = message(sent);
  const scope = newScope();
  scope.name = text(name);
  scope.version = text(version);
  addAttributes(attributes, droppedAttributesCount, scope);
  return scope;
}

function addPairs(pairs: unknown, to: AttributeList, owner: AttributeList, depth: number): void {
  for (const pair of list(pairs)) {
    if (depth > 0 && !mayNest(owner)) continue;
    const { key, value } = message(pair);
    addAttribute(to, text(key), valueOf(value, owner, depth));
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Reads an `int64`. Text that is not a number of at most 19 digits stays text. */
function intOf(value: unknown): number | string | ExactNumber {
  if (typeof value === 'number' || value instanceof ExactNumber) return value;
  const digits = text(value);
  if (!/^-?\d{1,19}$/.test(digits)) return digits;
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : new ExactNumber(BigInt(digits).toString());
}

function doubleOf(value: unknown): number | string | ExactNumber {
  if (value instanceof ExactNumber) return value;
  if (typeof value === 'number') return doubleValue(value);
  const written = text(value);
  const number = written.trim() === '' ? Number.NaN : Number(written);
  return Number.isFinite(number) ? number : written;
}

function boolOf(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new UndecodableBody();
  return value;
}
