import { ExactNumber, stringifyExact } from '../../../../platform/json/index.js';
import { LEFT_OUT } from '../../../events/event-store/index.js';
import { cut } from '../firing-rule.js';

type Properties = Readonly<Record<string, unknown>>;

/**
 * Returns the properties if their JSON has at most `most` characters. Otherwise returns the part of them that fits, and
 * a member that says so. Long texts are cut. At each level the plain values come first, and lists and objects share the
 * rest, so that one large property does not displace others.
 */
export function fittingProperties(properties: Properties, most: number): Properties {
  if (stringifyExact(properties).length <= most) return properties;
  const space = { left: most - stringifyExact(LEFT_OUT).length };
  return { ...fittingMembers(properties, space), ...LEFT_OUT };
}

/** The characters of JSON that may be added. */
interface Space {
  left: number;
}

function fittingMembers(members: Properties, space: Space): Properties {
  const entries = Object.entries(members);
  const nested = entries.filter(([, value]) => isNested(value));
  const kept: [string, unknown][] = [];
  const keep = (name: string, value: unknown, from: Space): void => {
    // A colon follows the name, and a comma the value.
    const fit = fitting(value, stringifyExact(name).length + 2, from);
    if (fit !== undefined) kept.push([name, fit]);
  };
  for (const [name, value] of entries) if (!isNested(value)) keep(name, value, space);
  for (const [index, [name, value]] of nested.entries()) {
    const most = Math.floor(space.left / (nested.length - index));
    const share = { left: most };
    keep(name, value, share);
    space.left -= most - share.left;
  }
  // A member may be called __proto__, so members are defined and not assigned.
  return Object.fromEntries(kept);
}

/**
 * Returns the part of a value that fits; undefined when nothing of it fits.
 * @param around the number of characters of the value's name and punctuation
 */
function fitting(value: unknown, around: number, space: Space): unknown {
  const short = typeof value === 'string' ? cut(value) : value;
  const size = around + (isNested(short) ? 2 : stringifyExact(short).length);
  if (size > space.left) return undefined;
  space.left -= size;
  if (!isNested(short)) return short;
  if (!Array.isArray(short)) return fittingMembers(short as Properties, space);
  const items: unknown[] = [];
  for (const item of short) {
    const fit = fitting(item, 1, space);
    if (fit === undefined) break;
    items.push(fit);
  }
  return items;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
}
