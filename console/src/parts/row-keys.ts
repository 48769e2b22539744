import { type KeyNames, namedKeys, useKeys } from './use-keys.js';

export const ROW_KEYS: KeyNames = {
  title: 'Lists',
  names: { 'j k': 'Next, previous row', Enter: 'Open the row' },
};

/** The rows of lists. Tables about charts are none. */
const ROWS = 'main .rows button[data-index], main .stacked tbody tr';
const CONTROLS = 'a[href], button:not(:disabled)';

function rows(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(ROWS)].flatMap((row) => {
    const control = row.matches(CONTROLS) ? row : row.querySelector<HTMLElement>(CONTROLS);
    // A folded part of the page has no boxes.
    return control === null || control.getClientRects().length === 0 ? [] : [control];
  });
}

export function hasRows(): boolean {
  return rows().length > 0;
}

/** Returns whether the page has keys of its own for its list. */
export function hasOwnRowKeys(): boolean {
  return namedKeys().some(({ names }) => 'j k' in names);
}

/** Returns false where the keys are not for rows. */
function move(by: 1 | -1): boolean {
  if (hasOwnRowKeys()) return false;
  const all = rows();
  const at = all.findIndex((control) => control === document.activeElement || isInRow(control));
  const next = at === -1 ? (by === 1 ? 0 : all.length - 1) : at + by;
  const control = all[next];
  control?.focus();
  control?.scrollIntoView({ block: 'nearest' });
  return control !== undefined;
}

/** Returns whether the focus is on another control of the same row. */
function isInRow(control: HTMLElement): boolean {
  return control.closest('tr')?.contains(document.activeElement) ?? false;
}

/** Moves through the rows of the lists of a page. */
export function useRowKeys(): void {
  useKeys({ j: () => move(1), k: () => move(-1) });
}
