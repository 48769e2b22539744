import { isObject } from '../../parts/json.js';

/** The place and size of a panel, in columns and rows. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export const COLUMNS = 12;
export const ROW_PX = 32;
export const GAP_PX = 12;
const [MIN_WIDTH, MIN_HEIGHT, MAX_HEIGHT] = [2, 3, 30];
/** Farther down, a grid would have thousands of empty rows. */
const MAX_ROW = 1_000;
export const DEFAULT_SIZE: Pick<Box, 'w' | 'h'> = { w: 6, h: 8 };

const clamped = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** Reads a stored layout. Undefined: it is none. */
export function boxOf(stored: unknown): Box | undefined {
  if (!isObject(stored)) return undefined;
  const [x, y, w, h] = ['x', 'y', 'w', 'h'].map((name) => stored[name]);
  if (![x, y, w, h].every(Number.isSafeInteger)) return undefined;
  return inGrid({ x: Number(x), y: Number(y), w: Number(w), h: Number(h) });
}

function inGrid({ x, y, w, h }: Box): Box {
  const width = clamped(w, MIN_WIDTH, COLUMNS);
  return {
    x: clamped(x, 0, COLUMNS - width),
    y: clamped(y, 0, MAX_ROW),
    w: width,
    h: clamped(h, MIN_HEIGHT, MAX_HEIGHT),
  };
}

export function bottomOf(boxes: readonly Box[]): number {
  return boxes.reduce((most, { y, h }) => Math.max(most, y + h), 0);
}

function areColliding(one: Box, other: Box): boolean {
  return one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;
}

/** Returns the first free place for a panel, in reading order. */
export function freePlace(boxes: readonly Box[], size: Pick<Box, 'w' | 'h'>): Box {
  for (let y = 0; ; y += 1) {
    for (let x = 0; x + size.w <= COLUMNS; x += 1) {
      const box = { ...size, x, y };
      if (!boxes.some((each) => areColliding(each, box))) return box;
    }
  }
}

interface Placed {
  readonly id: string;
  readonly layout: Box;
}

/** Compares by the reading order: from top to bottom, then from left to right. */
export function byPlace({ layout: one }: Placed, { layout: other }: Placed): number {
  return one.y - other.y || one.x - other.x;
}

/** Moves panels up as far as they can go, and apart where they overlap. Rows may be fractions, which decide the order. */
export function arranged<Each extends Placed>(panels: readonly Each[]): Each[] {
  const boxes: Box[] = [];
  const layouts = new Map<string, Box>();
  for (const { id, layout } of [...panels].sort(byPlace)) {
    const collides = (y: number): boolean => boxes.some((box) => areColliding({ ...layout, y }, box));
    let y = Math.ceil(Math.min(layout.y, bottomOf(boxes)));
    while (y > 0 && !collides(y - 1)) y -= 1;
    while (collides(y)) y += 1;
    const box = { ...layout, y };
    boxes.push(box);
    layouts.set(id, box);
  }
  return panels.map((each) => ({ ...each, layout: layouts.get(each.id) ?? each.layout }));
}

export type Move = 'left' | 'right' | 'up' | 'down' | 'wider' | 'narrower' | 'taller' | 'shorter';

/** Moves or sizes one panel by a step. A step up or down is one past the next panel of the same columns. */
export function moved<Each extends Placed>(panels: readonly Each[], id: string, move: Move): Each[] {
  const panel = panels.find((each) => each.id === id);
  if (panel === undefined) return [...panels];
  const layout = stepped(panel.layout, move, passedBy(panels, panel, move));
  return arranged(panels.map((each) => (each.id === id ? { ...each, layout } : each)));
}

/**
 * Lets a panel change places with the one before or after it in reading order. They keep their sizes where the order
 * comes out, and change them too otherwise.
 */
export function swapped<Each extends Placed>(panels: readonly Each[], id: string, move: 'up' | 'down'): Each[] {
  const ordered = [...panels].sort(byPlace);
  const at = ordered.findIndex((each) => each.id === id);
  const [one, other] = move === 'up' ? [ordered[at - 1], ordered[at]] : [ordered[at], ordered[at + 1]];
  if (one === undefined || other === undefined) return [...panels];
  const swap = (sized: (place: Box, size: Box) => Box): Each[] =>
    arranged(
      panels.map((each) => {
        if (each.id === one.id) return { ...each, layout: sized(other.layout, one.layout) };
        return each.id === other.id ? { ...each, layout: sized(one.layout, other.layout) } : each;
      }),
    );
  const wanted = ordered.map((each) => (each === one ? other : each === other ? one : each).id).join('\n');
  const kept = swap(({ x, y }, size) => inGrid({ ...size, x, y }));
  const isAsWanted =
    [...kept]
      .sort(byPlace)
      .map((each) => each.id)
      .join('\n') === wanted;
  return isAsWanted ? kept : swap((place) => place);
}

/** Returns the box that a panel passes when it moves up or down: the next one that has columns in common with it. */
function passedBy<Each extends Placed>(panels: readonly Each[], { id, layout }: Each, move: Move): Box | undefined {
  const others = panels.filter((each) => each.id !== id).sort(byPlace);
  const shared = others
    .map((each) => each.layout)
    .filter((box) => box.x < layout.x + layout.w && layout.x < box.x + box.w);
  return move === 'up' ? shared.findLast(({ y }) => y < layout.y) : shared.find(({ y }) => y > layout.y);
}

function stepped(box: Box, move: Move, passed: Box | undefined): Box {
  switch (move) {
    case 'left':
      return inGrid({ ...box, x: box.x - 1 });
    case 'right':
      return inGrid({ ...box, x: box.x + 1 });
    case 'wider':
      return inGrid({ ...box, w: box.w + 1 });
    case 'narrower':
      return inGrid({ ...box, w: box.w - 1 });
    case 'taller':
      return inGrid({ ...box, h: box.h + 1 });
    case 'shorter':
      return inGrid({ ...box, h: box.h - 1 });
    case 'up':
      return passed === undefined ? box : { ...box, y: passed.y - 0.5 };
    case 'down':
      return passed === undefined ? box : { ...box, y: passed.y + 0.5 };
  }
}
