import { fieldOf, type Scalar } from '../../parts/conditions.js';
import { propertyAt } from './columns.js';

/** A single value within the properties of an event. */
export interface Leaf {
  readonly name: string;
  readonly value: Scalar;
  /** As EQL writes it. Undefined: no condition can name it. */
  readonly field: string | undefined;
  /** As facets take it. Undefined: its values cannot be counted. */
  readonly path: string | undefined;
}

const MAX_LEAVES = 300;
const MAX_PATH_CHARACTERS = 200;
const MAX_NAMES = 10;

type Json = Readonly<Record<string, unknown>>;

/** Returns the values within properties, in their order. */
export function leavesOf(properties: Json): Leaf[] {
  const leaves: Leaf[] = [];
  const add = (value: unknown, names: readonly string[], list: string | undefined) => {
    if (leaves.length >= MAX_LEAVES) return;
    const path = ['properties', ...names].join('.');
    if (Array.isArray(value)) {
      value.forEach((each, index) => add(each, [...names, String(index)], list ?? path));
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) add(each, [...names, name], list);
    } else {
      leaves.push({ name: path, value: value as Scalar, ...placeOf(properties, value, path, names, list) });
    }
  };
  add(properties, [], undefined);
  return leaves;
}

/** @param list the path of the outermost list around the value. A comparison with a list compares its elements. */
function placeOf(properties: Json, value: unknown, path: string, names: readonly string[], list: string | undefined) {
  const isNamed =
    path.length <= MAX_PATH_CHARACTERS &&
    names.length <= MAX_NAMES &&
    !names.includes('') &&
    !/[\r\n]/.test(path) &&
    propertyAt(properties, path) === value;
  if (!isNamed) return { field: undefined, path: undefined };
  const isElement = list !== undefined && `${list}.${names.at(-1)}` === path;
  if (isElement) return { field: fieldOf(list), path: undefined };
  return { field: fieldOf(path), path: list === undefined ? path : undefined };
}
